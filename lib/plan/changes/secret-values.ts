import type { JsonObject } from '../../apiserver/json.ts';

/** Shorter values are found in too many texts by chance: only a text that is one of them is hidden. */
const SHORTEST_PART = 5;

/**
 * The values of all Secrets that the plan read or wrote, so that none is shown: neither as a value of another object, nor as
 * a part of one.
 */
export class SecretValues {
  readonly #whole = new Set<string>();
  readonly #parts = new Set<string>();

  /** @param secret a Secret as the API server stores it. */
  add(secret: JsonObject | undefined): void {
    const { data } = secret ?? {};
    if (typeof data !== 'object' || data === null) return;
    for (const encoded of Object.values(data)) {
      if (typeof encoded !== 'string' || encoded === '') continue;
      const decoded = Buffer.from(encoded, 'base64').toString('utf8');
      for (const text of [encoded, decoded, decoded.trim()]) this.#add(text);
      // A value of several lines may be used line by line.
      for (const line of decoded.split(/\r?\n/)) if (line.trim().length > SHORTEST_PART) this.#add(line.trim());
    }
  }

  #add(text: string): void {
    if (text === '') return;
    this.#whole.add(text);
    if (text.length >= SHORTEST_PART) this.#parts.add(text);
  }

  /** Whether a value shows one of them anywhere: in a text, a number or a field's name. */
  isIn(value: unknown): boolean {
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).some(
        ([name, part]) => (!Array.isArray(value) && this.isIn(name)) || this.isIn(part),
      );
    }
    if (value === undefined || value === null || typeof value === 'boolean') return false;
    const text = String(value);
    if (this.#whole.has(text)) return true;
    for (const part of this.#parts) if (text.includes(part)) return true;
    return false;
  }

  /** The text, or a note in its place when it shows one of them. */
  hide(text: string): string {
    return this.isIn(text) ? 'hidden: it contains a value of a Secret' : text;
  }
}
