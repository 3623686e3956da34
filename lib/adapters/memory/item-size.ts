import { ItemError } from '../../core/errors.ts';
import type { TargetState } from '../../ports/state-store.ts';

/** The size limit of an item in a DynamoDB table, in bytes. */
const MAX_ITEM_BYTES = 400 * 1024;
/** An upper bound for all attributes except versions and edges, in bytes. It is small compared with the limit. */
const SMALL_ENTRIES = 500;

/** @throws ItemError when a table would refuse the item for its size. */
export function checkItemSize(state: TargetState): void {
  const objects = Object.keys(state.versions);
  const texts = [...state.edges, ...state.dirty, ...(state.rememberedWrites ?? [])];
  if (objects.length + texts.length <= SMALL_ENTRIES) return;
  let bytes = 2_048;
  for (const object of objects) bytes += object.length + 1 + 12;
  for (const key of texts) bytes += key.length + 1;
  if (bytes > MAX_ITEM_BYTES) {
    throw new ItemError(
      `the item of target ${state.target.cluster}/${state.target.kind}/${state.target.uid} would exceed 400 KB: record fewer versions and edges`,
      { data: { bytes } },
    );
  }
}
