const MAX_KEYS = 5;
/** A longer text, or one that is not spelled like a name, may be data. */
const PLAIN_KEY = /^[A-Za-z_$][\w$-]{0,39}$/;

/** The type of a value, never its content: `undefined`, `a string`, `a list`, `an object with status and phase` (R-1.24). */
export function describeShape(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'object') return describeObject(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : 'an infinite number';
  return `a ${typeof value}`;
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'a list';
    if (value instanceof Error) return 'an Error';
    const keys = Object.keys(value);
    if (keys.length === 0) return 'an object without fields';
    const shown = keys.slice(0, MAX_KEYS).map((key) => (PLAIN_KEY.test(key) ? key : '?'));
    const more = keys.length - shown.length;
    return `an object with ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  } catch {
    return 'an object that cannot be read';
  }
}
