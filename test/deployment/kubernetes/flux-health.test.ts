import { readFileSync } from 'node:fs';
import { evaluate } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { FLUX_EXPRESSIONS } from '../../../lib/deployment/kubernetes/flux-health.ts';

type Health = keyof typeof FLUX_EXPRESSIONS | 'waits';
interface Fixture {
  readonly name: string;
  readonly expected: Health;
  readonly metadata: { readonly generation: number; readonly deletionTimestamp?: string };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly object[] };
}

const file = new URL('flux-fixtures.json', import.meta.url);
const fixtures = JSON.parse(readFileSync(file, 'utf8')) as readonly Fixture[];

/** The expressions that are true for an object. Flux waits while one reads what is not there. */
function trueOnes({ metadata, status }: Fixture): Health[] {
  const object = { metadata, ...(status !== undefined && { status }) };
  try {
    return (Object.keys(FLUX_EXPRESSIONS) as (keyof typeof FLUX_EXPRESSIONS)[]).filter(
      (name) => evaluate(FLUX_EXPRESSIONS[name], object) === true,
    );
  } catch {
    return ['waits'];
  }
}

describe("the expressions for Flux's health checks", () => {
  it.each(fixtures)('R-6.13 Flux takes $name for $expected', (fixture) => {
    expect(trueOnes(fixture)).toEqual([fixture.expected]);
  });
});
