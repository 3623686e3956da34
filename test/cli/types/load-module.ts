import { stripTypeScriptTypes } from 'node:module';
import { z } from 'zod';
import { defineKind, intOrString, type Kind } from '../../../lib/index.ts';

/** Runs the text of a written module. @returns its kinds by the names of their exports. */
export function loadModule(text: string): Record<string, Kind<unknown, unknown>> {
  const names = [...text.matchAll(/^export const (?<name>\w+) /gm)].map(({ groups }) => groups?.name ?? '');
  const script = stripTypeScriptTypes(text)
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '');
  const run = new Function('z', 'defineKind', 'intOrString', `${script}\nreturn { ${names.join(', ')} };`);
  return run(z, defineKind, intOrString) as Record<string, Kind<unknown, unknown>>;
}
