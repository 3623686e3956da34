import { formatDuration, parseDuration } from '../../core/duration.ts';
import type { SpecFault } from '../../kit/parse-spec.ts';
import { isFields } from '../../kit/value-at.ts';

export interface TextRule {
  readonly required?: boolean;
  readonly maxLength: number;
  readonly pattern: RegExp;
  /** What the text must be, to be read after "must be". */
  readonly kind: string;
}

/** Go's durations, and so Kubernetes', end here: 2^63 ns. */
const MAX_DURATION_MS = 9_223_372_036_854;
const DAY_MS = 86_400_000;

/**
 * Reads fields of an object that came from outside. What is wrong is put on the shared list of faults, and the field
 * then reads as absent; an explicit null is absent too, as the API server sees it.
 */
export class FieldReader {
  readonly path: string;
  readonly faults: SpecFault[];
  readonly #source: Readonly<Record<string, unknown>>;

  private constructor(source: Readonly<Record<string, unknown>>, path: string, faults: SpecFault[]) {
    this.#source = source;
    this.path = path;
    this.faults = faults;
  }

  /** A reader of `value`, or of nothing when it is no object, which is a fault. */
  static of(value: unknown, path: string, faults: SpecFault[]): FieldReader {
    if (isFields(value)) return new FieldReader(value, path, faults);
    faults.push({ path, message: value === undefined || value === null ? 'is missing: add it' : 'must be an object' });
    return new FieldReader({}, path, faults);
  }

  has(field: string): boolean {
    return this.#raw(field) !== undefined;
  }

  object(field: string): FieldReader {
    return FieldReader.of(this.#raw(field), this.#at(field), this.faults);
  }

  /** A reader for each entry; none when there are too few or too many, which is a fault. */
  list(field: string, { min, max }: { min: number; max: number }): FieldReader[] {
    const value = this.#raw(field) ?? [];
    if (!Array.isArray(value)) return this.refuse(field, 'must be a list') ?? [];
    if (value.length < min) return this.refuse(field, `must have at least ${min} entry: add one`) ?? [];
    if (value.length > max) {
      return this.refuse(field, `has ${value.length} entries: at most ${max} are allowed, so remove some`) ?? [];
    }
    return value.map((entry, index) => FieldReader.of(entry, `${this.#at(field)}[${index}]`, this.faults));
  }

  text(field: string, rule: TextRule): string | undefined {
    const value = this.#raw(field);
    if (value === undefined) return rule.required === true ? this.refuse(field, 'is missing: add it') : undefined;
    const fits = typeof value === 'string' && value.length <= rule.maxLength && rule.pattern.test(value);
    return fits ? value : this.refuse(field, `must be ${rule.kind}, at most ${rule.maxLength} characters long`);
  }

  oneOf<Choice extends string>(field: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#raw(field);
    if (value === undefined) return undefined;
    const chosen = choices.find((choice) => choice === value);
    return chosen ?? this.refuse(field, `must be one of ${choices.join(', ')}`);
  }

  flag(field: string, absent: boolean): boolean {
    const value = this.#raw(field);
    if (value === undefined) return absent;
    return typeof value === 'boolean' ? value : (this.refuse(field, 'must be true or false') ?? absent);
  }

  integer(field: string, { min, max }: { min: number; max: number }): number | undefined {
    const value = this.#raw(field);
    if (value === undefined) return undefined;
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    return fits ? value : this.refuse(field, `must be a whole number from ${min} to ${max}`);
  }

  /** Milliseconds. */
  duration(
    field: string,
    { minMs, maxMs, days = false }: { minMs: number; maxMs?: number; days?: boolean },
  ): number | undefined {
    const value = this.#raw(field);
    if (value === undefined) return undefined;
    const ms = typeof value === 'string' ? (days ? parseLongDuration(value) : parseDuration(value)) : undefined;
    if (ms === undefined) return this.refuse(field, 'must be a duration: write it like 30s, 15m or 24h');
    if (ms < minMs) return this.refuse(field, `must be at least ${formatDuration(minMs)}`);
    if (maxMs !== undefined && ms > maxMs) return this.refuse(field, `must be at most ${formatDuration(maxMs)}`);
    return ms <= MAX_DURATION_MS
      ? ms
      : this.refuse(field, 'is longer than Kubernetes can express: write a shorter one');
  }

  /** Puts a fault of this field on the list. */
  refuse(field: string, message: string): undefined {
    this.faults.push({ path: this.#at(field), message });
  }

  #raw(field: string): unknown {
    return Object.hasOwn(this.#source, field) ? (this.#source[field] ?? undefined) : undefined;
  }

  #at(field: string): string {
    return `${this.path}.${field}`;
  }
}

/** As `parseDuration`, with days before all else: `30d`, `1d12h`. */
function parseLongDuration(text: string): number | undefined {
  const [, days, rest = ''] = /^(?:([1-9][0-9]{0,4})d)?(.*)$/s.exec(text) ?? [];
  if (days === undefined) return parseDuration(text);
  const restMs = rest === '' ? 0 : parseDuration(rest);
  return restMs === undefined ? undefined : Number(days) * DAY_MS + restMs;
}
