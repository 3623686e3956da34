import { describe, expect, it } from 'vitest';
import { readSources } from './read-sources.ts';
import { walk } from './syntax-tree.ts';

const TYPES: readonly unknown[] = ['settled', 'checkAt', 'retry', 'terminal'];

/** This file decides what each outcome means to the engine. */
const FACTS = 'lib/engine/outcome-facts.ts';
/** Creates outcomes from a controller's result, which may be any value. */
const PARSER = 'lib/engine/author/parse-result.ts';

/**
 * Whether a source checks which outcome it has: it names the type of an outcome, other than in a type or to create an
 * outcome.
 */
function tellsOutcomesApart(source: string): boolean {
  let found = false;
  walk(source, (node, [parent]) => {
    if (node.type !== 'Literal' || !TYPES.includes(node.value) || parent?.type === 'TSLiteralType') return;
    const isMade = parent?.type === 'Property' && (parent.key as { name?: string }).name === 'type';
    if (!isMade) found = true;
  });
  return found;
}

describe('the outcomes of a pass', () => {
  it('are told apart in one file when the engine is read, and in the parser of what controllers return', () => {
    const sources = Object.entries(readSources(['lib/engine']));
    expect(sources.length).toBeGreaterThan(80);
    const found = sources.filter(([, source]) => tellsOutcomesApart(source)).map(([path]) => path);
    expect(found.sort()).toEqual([PARSER, FACTS]);
  });

  it.each([
    ["if (outcome.type === 'retry') stop();"],
    ["const failed = result.outcome?.type !== 'settled';"],
    ["switch (outcome.type) { case 'terminal': break; }"],
    ["const { type } = outcome; if ('checkAt' === type) wait();"],
    ["if (['retry', 'terminal'].includes(outcome.type)) stop();"],
  ])('the check finds %s', (source) => {
    expect(tellsOutcomesApart(source)).toBe(true);
  });

  it.each([
    ["const outcome = { type: 'retry', error };"],
    ["type Failed = Extract<Outcome, { type: 'retry' }>;"],
    ["// outcome.type === 'retry'"],
    ["const text = 'a retry';"],
  ])('the check passes %s', (source) => {
    expect(tellsOutcomesApart(source)).toBe(false);
  });
});
