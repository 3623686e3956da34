import type { JsonObject } from '../../apiserver/json.ts';
import { textReadings } from './text-readings.ts';

/** A shorter value occurs in too many texts by chance, so it counts only as a whole word. */
export const SHORTEST_PART = 5;
/** A still shorter value occurs in too many texts even as a whole word, so it counts only as a whole text. */
const SHORTEST_WORD = 3;
/** A character that belongs to a word. */
const WORD_CHARACTER = /[A-Za-z0-9]/;
/** Field names that hold a user name; a field next to one may hold the password. */
const USER_FIELD = /user|login|account|client.?id/i;

/**
 * The values of all Secrets that the plan read or wrote. None of them is shown: not as a value of another object, not
 * as a part of a value, and not in an encoded form.
 */
export class SecretValues {
  readonly #whole = new Set<string>();
  readonly #parts = new Set<string>();
  readonly #words = new Set<string>();
  readonly #findsWords: boolean;

  /** @param findsWords whether a value of three or four characters counts inside a longer text. */
  constructor({ findsWords = false }: { findsWords?: boolean } = {}) {
    this.#findsWords = findsWords;
  }

  /** @param secret a Secret as the API server stores it. */
  add(secret: JsonObject | undefined): void {
    const { data } = secret ?? {};
    if (typeof data !== 'object' || data === null) return;
    const fields: [string, string][] = [];
    for (const [name, encoded] of Object.entries(data)) {
      if (typeof encoded !== 'string' || encoded === '') continue;
      const decoded = fromBase64(encoded);
      for (const text of [encoded, decoded, decoded.trim()]) this.#add(text);
      // A value with several lines may be used line by line.
      for (const line of decoded.split(/\r?\n/)) if (line.trim().length > SHORTEST_PART) this.#add(line.trim());
      this.#addLeaves(parsed(decoded));
      fields.push([name, decoded.trim()]);
    }
    this.#addLogins(fields);
  }

  /** Adds the texts inside a value that is JSON, such as the passwords of a `.dockerconfigjson`. */
  #addLeaves(value: unknown): void {
    if (typeof value === 'string') this.#add(value);
    if (typeof value !== 'object' || value === null) return;
    const fields = Object.entries(value);
    const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string');
    for (const [name, text] of texts) {
      // A registry's credentials: base64 of user:password.
      if (name === 'auth') for (const part of halves(fromBase64(text))) this.#add(part);
    }
    if (!Array.isArray(value)) this.#addLogins(texts);
    for (const [, part] of fields) this.#addLeaves(part);
  }

  /** Adds `user:password`, the form of basic authentication, because each part alone may be too short to count. */
  #addLogins(fields: readonly (readonly [string, string])[]): void {
    for (const [name, user] of fields) {
      if (!USER_FIELD.test(name)) continue;
      for (const [other, password] of fields) if (other !== name && password !== '') this.#add(`${user}:${password}`);
    }
  }

  #add(text: string): void {
    if (text === '') return;
    this.#whole.add(text);
    if (text.length >= SHORTEST_PART) this.#parts.add(text);
    else if (this.#findsWords && text.length >= SHORTEST_WORD) this.#words.add(text);
  }

  /** Whether a value contains one of them: in a text, in a number or in a field's name. */
  isIn(value: unknown): boolean {
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).some(
        ([name, part]) => (!Array.isArray(value) && this.isIn(name)) || this.isIn(part),
      );
    }
    if (value === undefined || value === null || typeof value === 'boolean') return false;
    return this.isWhole(value) || this.#isPart(String(value));
  }

  /** Whether a text or a number is equal to one of them. */
  isWhole(value: unknown): boolean {
    return this.#whole.has(String(value));
  }

  #isPart(text: string): boolean {
    if (this.#parts.size + this.#words.size === 0 || text.length < SHORTEST_WORD) return false;
    for (const reading of textReadings(text)) {
      for (const part of this.#parts) if (reading.includes(part)) return true;
      for (const word of this.#words) if (hasWord(reading, word)) return true;
    }
    return false;
  }

  /** Returns the text, or a note in its place when it contains one of them. */
  hide(text: string): string {
    return this.isIn(text) ? 'hidden: it contains a value of a Secret' : text;
  }
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWithin = [text.charAt(at - 1), text.charAt(at + word.length)].some((next) => WORD_CHARACTER.test(next));
    if (!isWithin) return true;
  }
  return false;
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function halves(login: string): string[] {
  const [user = '', ...password] = login.split(':');
  return password.length === 0 ? [] : [login, user, password.join(':')];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
