import { registerHooks } from 'node:module';

/** Texts of source files that have a bug in them, by the URL under which a file is imported. */
export type PlantedSources = ReadonlyMap<string, string>;

/**
 * Has every later import of these files see them with the bug in place, in this thread alone. To be called before
 * anything of the engine is imported.
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
