import { SeededEntropy } from '../seeded-entropy.ts';
import type { FaultRates } from './faults/drawn-faults.ts';
import { type FaultKind, LATER_FAULT_KINDS } from './faults/fault-kinds.ts';
import type { PlannedDisturbance } from './faults/planned-disturbance.ts';

/** What joined after seeds had been written down, as a plan has it. */
export interface LaterFaults {
  readonly disturbances: readonly PlannedDisturbance[];
  readonly rates: FaultRates;
}

/**
 * Its own randomness: three of four seeds draw none of it, and are what they were before. So are, by this number, nearly all of
 * those that are known to show a planted fault.
 */
const JOINED_LATER = 0x346f;
const CHANCE = 0.06;
/** Kinds that happen at times: how many at most. */
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
