import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of the heap at its initial size of a megabyte. V8 would let it grow with the allocation
 * rate, but a worker's passes leave no live objects: tens of megabytes of memory would save almost no time.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
