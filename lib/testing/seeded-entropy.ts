import type { Entropy } from '../ports/clock.ts';

/** Random numbers that a seed repeats exactly (mulberry32), and ids that count up. */
export class SeededEntropy implements Entropy {
  #state: number;
  readonly #prefix: string;
  #ids = 0;

  /** @param prefix keeps the ids of two sources in one test different. */
  constructor(seed = 1, prefix = 'id') {
    this.#state = seed >>> 0;
    this.#prefix = prefix;
  }

  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  id(): string {
    this.#ids += 1;
    return `${this.#prefix}-${this.#ids}`;
  }
}
