const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const MAX_LENGTH = 64;
const MINUTE_MS = 60_000;

/**
 * Epoch ms of an RFC 3339 time; undefined for an invalid text. `2026-02-30` is refused, and does not become a day in
 * March. A leap second is valid only at the end of a month (UTC), and becomes the second after it.
 */
export function parseRfc3339(text: string): number | undefined {
  const parts = text.length > MAX_LENGTH ? null : RFC3339.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts.slice(7);
  const inRange =
    month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59 && second <= 60;
  if (!inRange || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  const minuteMs = utcMinute(year, month, day, hour, minute) - offsetMs;
  if (second === 60 && !endsMonth(minuteMs)) return undefined;
  return minuteMs + second * 1_000 + Math.floor(Number(`0.${fraction || '0'}`) * 1_000);
}

/** `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
function utcMinute(year: number, month: number, day: number, hour: number, minute: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute);
}

function endsMonth(minuteMs: number): boolean {
  const next = new Date(minuteMs + MINUTE_MS);
  return next.getUTCDate() === 1 && next.getUTCHours() === 0 && next.getUTCMinutes() === 0;
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return leap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
