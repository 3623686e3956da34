import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSources } from './read-sources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The only file outside of its folder that names a controller group. */
export const REGISTRATION = 'lib/controllers/groups.ts';

/** Everything that could name a controller group: sources and configuration, by path. */
export function namedIn(): Readonly<Record<string, string>> {
  const configuration = ['serverless.yml', 'package.json'];
  return {
    ...readSources(['bin', 'cli', 'functions', 'infra', 'lib', 'build']),
    ...Object.fromEntries(configuration.map((file) => [file, readFileSync(`${ROOT}/${file}`, 'utf8')])),
  };
}

/**
 * Every line outside a group's folder that contains the group's name, comments included. @param files source text by
 * path.
 */
export function strayNames(names: readonly string[], files: Readonly<Record<string, string>>): string[] {
  return names.flatMap((name) => {
    const spellings = [name, camelCase(name)].join('|');
    const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${spellings})(?![A-Za-z0-9])`);
    return Object.entries(files)
      .filter(([file]) => !file.startsWith(`lib/controllers/${name}/`))
      .flatMap(([file, text]) => text.split('\n').map((line) => [file, line.trim()] as const))
      .filter(([, line]) => pattern.test(line))
      .map(([file, line]) => `${name} in ${file}: ${line}`);
  });
}

export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
