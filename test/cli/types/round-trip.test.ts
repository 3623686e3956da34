import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CustomDefinition } from '../../../cli/types/custom-definition.ts';
import { kindModule } from '../../../cli/types/kind-module.ts';
import { readDefinitions } from '../../../cli/types/read-definitions.ts';
import { definitionIssues } from '../../../lib/apiserver/definitions/definition-issues.ts';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';
import type { JsonObject, JsonValue } from '../../../lib/core/kube-object.ts';
import { kindId } from '../../../lib/index.ts';
import { specsOf } from './drawn-values.ts';
import { loadModule } from './load-module.ts';

const CRDS = fileURLToPath(new URL('../../../infra/kubernetes/crds', import.meta.url));
const SHAPES = fileURLToPath(new URL('shapes', import.meta.url));
const files = [...globSync(`${CRDS}/*.yaml`), ...globSync(`${SHAPES}/*.yaml`)].sort();
const definitions = files.flatMap(readDefinitions);

const SEED = 20_261_201;
const VALUES = 120;

type Stored = { readonly value: JsonObject } | { readonly refused: true };

function schemaOf(definition: unknown, version: string): JsonObject {
  const { versions } = (definition as CustomDefinition).spec;
  return versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};
}

/** What the API server stores of an object with this spec. */
function storing(root: JsonObject): (spec: JsonValue) => Stored {
  const compiled = compileSchema(root);
  return (spec) => {
    const object: JsonObject = { metadata: { name: 'x' }, spec: structuredClone(spec) };
    compiled.prune(object);
    compiled.applyDefaults(object);
    return compiled.validate(object).length === 0 ? { value: object.spec as JsonObject } : { refused: true };
  };
}

/** Whole numbers that JavaScript represents are meant alike; a null counts as absent; unknown metadata is of no interest. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

describe('the module of an existing CRD', () => {
  it('R-6.9 the test knows every shipped CRD and each shape', () => {
    expect(definitions.length).toBeGreaterThanOrEqual(11);
    expect(files.map((file) => basename(file))).toContain('bundles.yaml');
  });

  it.each(definitions.map((definition) => [definition.metadata.name, definition] as const))(
    'R-6.9 the module of %s defines a kind whose own CRD accepts the same specs, and whose parser reads them as they are stored',
    (name, definition) => {
      const kinds = Object.values(loadModule(kindModule([definition]).text));
      const [kind] = kinds;
      if (kind === undefined) throw new Error('the module exports no kind');
      expect(kindId(kind)).toBe(name);
      expect(definitionIssues(kind.definition as unknown as JsonObject)).toEqual([]);
      for (const { name: version, storage } of definition.spec.versions) {
        const before = schemaOf(definition, version);
        const [original, written] = [storing(before), storing(schemaOf(kind.definition, version))];
        const { spec = { type: 'object' } } = before.properties as Record<string, JsonObject>;
        let accepted = 0;
        fc.assert(
          fc.property(specsOf(spec), (drawn) => {
            const [one, other] = [original(drawn), written(drawn)];
            expect(other).toEqual(one);
            if (!storage || !('value' in one) || one.value === undefined) return;
            accepted += 1;
            const parsed = kind.spec.safeParse(one.value);
            expect(parsed.error).toBeUndefined();
            expect(withoutNulls(parsed.data)).toEqual(withoutNulls(one.value));
          }),
          { seed: SEED, numRuns: VALUES },
        );
        // A property that every drawn value fails says nothing.
        if (storage) expect(accepted).toBeGreaterThan(2);
      }
    },
  );
});
