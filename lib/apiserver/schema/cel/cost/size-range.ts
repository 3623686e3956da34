/**
 * The smallest and the largest size of a value: characters of a string, bytes, items of a list, or members of a map.
 * The highest number is the largest one that the real server can count.
 */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** The highest cost and size of the real server, which counts in 64 bits. */
export const MAX_UNITS = 2 ** 64;

export const UNKNOWN_SIZE: SizeRange = { min: 0, max: MAX_UNITS };

export function fixedSize(size: number): SizeRange {
  return { min: size, max: size };
}

export function capped(units: number): number {
  return Math.min(units, MAX_UNITS);
}

export function sizeSum(left: SizeRange, right: SizeRange): SizeRange {
  return { min: capped(left.min + right.min), max: capped(left.max + right.max) };
}

export function sizeProduct(left: SizeRange, right: SizeRange): SizeRange {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) };
}

/** The smallest range that contains both ranges. */
export function sizeUnion(left: SizeRange, right: SizeRange): SizeRange {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

/** The highest cost of reading a value of this size once. @param factor the cost of one unit. */
export function costOfSize(size: SizeRange, factor: number): number {
  return capped(Math.ceil(size.max * factor));
}
