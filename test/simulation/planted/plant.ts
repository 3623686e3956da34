import { registerHooks } from 'node:module';

/** Texts of source files with a bug in them, by the URL under which a file is imported. */
export type PlantedSources = ReadonlyMap<string, string>;

/**
 * Makes every later import of these files in this thread get the text with the bug. Call it before anything of the
 * engine is imported.
 */
export function plant(sources: PlantedSources): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const source = sources.get(url);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}
