import { SeededEntropy } from '../seeded-entropy.ts';
import type { FaultRates } from './faults/drawn-faults.ts';
import { type FaultKind, LATER_FAULT_KINDS } from './faults/fault-kinds.ts';
import type { PlannedDisturbance } from './faults/planned-disturbance.ts';

/** The part of a plan that was added after seeds had been recorded. */
export interface LaterFaults {
  readonly disturbances: readonly PlannedDisturbance[];
  readonly rates: FaultRates;
}

/**
 * A separate stream of random numbers. Three of four seeds draw nothing from it, so they are unchanged. With this
 * number, nearly all seeds that show a planted fault are unchanged too.
 */
const JOINED_LATER = 0x346f;
const CHANCE = 0.06;
/** The largest number of each kind that happens at a time. */
const MOST: Partial<Readonly<Record<FaultKind, number>>> = { forge: 6, marks: 4, status: 6, step: 3 };
const NONSENSE_RATE = 0.3;
const LONGEST_STEP_MS = 180_000;

export function drawLaterFaults(seed: number, endMs: number, without: readonly FaultKind[]): LaterFaults {
  const entropy = new SeededEntropy(seed ^ JOINED_LATER);
  const pick = (below: number) => Math.floor(entropy.random() * below);
  const drawn = LATER_FAULT_KINDS.filter(() => entropy.random() < CHANCE);
  const kinds = drawn.filter((kind) => !without.includes(kind));
  const disturbances = kinds.flatMap((kind) =>
    Array.from({ length: MOST[kind] === undefined ? 0 : 1 + pick(MOST[kind]) }, () => ({
      atMs: pick(endMs),
      kind,
      ms: 1_000 + pick(LONGEST_STEP_MS),
      seed: pick(2 ** 31),
    })),
  );
  const rate = NONSENSE_RATE * entropy.random();
  return { disturbances, rates: kinds.includes('nonsense') ? { nonsense: rate } : {} };
}
