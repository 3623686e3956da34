import type { PlantedSources } from './plant.ts';
import type { PlantedFault } from './planted-fault.ts';
import { applyEdits } from './source/apply-edits.ts';
import { libSources, ROOT } from './source/source-tree.ts';

/**
 * The files that a fault changes. They are made once, outside of the thread that runs them, because parsing is slow
 * there.
 * @throws Error that names the fault and the text that it does not find in lib: the fault must be written again.
 */
export function plantedSources({ name, also = [], ...edit }: PlantedFault): PlantedSources {
  try {
    const changed = applyEdits(libSources(), [edit, ...also]);
    return new Map([...changed].map(([file, text]) => [new URL(file, ROOT).href, text]));
  } catch (error) {
    throw new Error(`the fault '${name}' cannot be planted: ${error instanceof Error ? error.message : error}`);
  }
}
