import { randomUUID } from 'node:crypto';
import type { Entropy } from '../../ports/clock.ts';

/** Random numbers and ids of this machine. Do not use them for keys. */
export class SystemEntropy implements Entropy {
  random(): number {
    return Math.random();
  }

  id(): string {
    return randomUUID();
  }
}
