import { randomUUID } from 'node:crypto';
import type { Entropy } from '../../ports/clock.ts';

/** The machine's randomness. Not for keys. */
export class SystemEntropy implements Entropy {
  random(): number {
    return Math.random();
  }

  id(): string {
    return randomUUID();
  }
}
