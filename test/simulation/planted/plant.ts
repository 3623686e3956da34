import { registerHooks } from 'node:module';
import type { PlantedFault } from './planted-fault.ts';

const ROOT = new URL('../../../', import.meta.url);

/**
 * Has every later import of the fault's file see it with the bug in place, in this thread alone. To be called before
 * anything of the engine is imported.
 * @throws Error when the file does not hold the text exactly once: the fault must be planted anew.
 */
export function plant({ name, file, find, replace }: PlantedFault): void {
  const target = new URL(file, ROOT).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      const source = String(loaded.source);
      const count = source.split(find).length - 1;
      if (count !== 1) throw new Error(`'${name}': its text stands ${count} times in ${file}, and must stand once`);
      return { ...loaded, source: source.replace(find, () => replace) };
    },
  });
}
