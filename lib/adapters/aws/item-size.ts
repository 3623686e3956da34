import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';

/**
 * A write costs one unit for each of these bytes. The larger item counts: the one before the write or the one after it.
 */
const WRITE_UNIT_BYTES = 1_024;
/**
 * The overhead of a map or a list, and of each of its elements (Amazon DynamoDB Developer Guide, "DynamoDB item sizes
 * and formats").
 */
const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;
/** That guide gives the size of a number as approximate. */
const INEXACT_BYTES = 8;

/** The size of an item's attributes, names included, in bytes. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += Buffer.byteLength(name) + valueBytes(item[name]);
  return bytes;
}

function valueBytes(value: AttributeValue | undefined): number {
  if (value?.S !== undefined) return Buffer.byteLength(value.S);
  if (value?.N !== undefined) return numberBytes(value.N);
  if (value?.SS !== undefined) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (value?.M === undefined) return 1;
  let bytes = COLLECTION_BYTES;
  for (const name in value.M) bytes += ELEMENT_BYTES + Buffer.byteLength(name) + valueBytes(value.M[name]);
  return bytes;
}

/** One byte for two significant digits, one more byte, and one for a sign. */
function numberBytes(digits: string): number {
  const significant = digits.replace(/^-|e.*$|\./gi, '').replace(/^0+|0+$/g, '').length;
  return Math.ceil(significant / 2) + (digits.startsWith('-') ? 2 : 1);
}

/** How many bytes an item of any of these sizes can grow without another write unit. */
export function freeBytes(sizes: readonly number[]): number {
  const left = sizes.map((size) => {
    const [least, most] = [size - INEXACT_BYTES, size + INEXACT_BYTES];
    const end = Math.ceil(least / WRITE_UNIT_BYTES) * WRITE_UNIT_BYTES;
    return Math.max(0, end - most);
  });
  return Math.min(...left);
}
