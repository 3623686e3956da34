import { registerHooks } from 'node:module';
import type { PlantedFault } from './planted-fault.ts';

const ROOT = new URL('../../../', import.meta.url);

/**
 * Has every later import of the fault's files see them with the bug in place, in this thread alone. To be called before
 * anything of the engine is imported.
 * @throws Error when a file does not hold its text exactly once: the fault must be planted anew.
 */
export function plant({ name, also = [], ...text }: PlantedFault): void {
  const texts = [text, ...also];
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const planted = texts.filter(({ file }) => new URL(file, ROOT).href === url);
      if (planted.length === 0) return loaded;
      let source = String(loaded.source);
      for (const { file, find, replace } of planted) {
        const count = source.split(find).length - 1;
        if (count !== 1) throw new Error(`'${name}': its text stands ${count} times in ${file}, and must stand once`);
        source = source.replace(find, () => replace);
      }
      return { ...loaded, source };
    },
  });
}
