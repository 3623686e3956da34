import { backUpState, checkStateFile, restoreState } from '../lib/adapters/sqlite/state-maintenance.ts';
import { SystemEntropy } from '../lib/adapters/system/system-entropy.ts';

const entropy = new SystemEntropy();

/** Copies the state of a directory, while processes go on using it. @throws StateFileError */
export function backUpLocalState(directory: string, file: string): Promise<void> {
  return backUpState(directory, file, entropy);
}

/**
 * Puts a copy in the place of the state of a directory.
 * @returns where the state that was there lies now; undefined when there was none.
 * @throws StateFileError
 */
export function restoreLocalState(file: string, directory: string): Promise<string | undefined> {
  return restoreState(file, directory, entropy);
}

/** @returns what is wrong with the state of a directory; nothing when it is sound. @throws StateFileError */
export function checkLocalState(directory: string): Promise<string[]> {
  return checkStateFile(directory);
}
