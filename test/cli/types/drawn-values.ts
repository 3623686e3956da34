import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../lib/core/kube-object.ts';
import { isFields, listAt } from '../../../lib/kit/value-at.ts';

type Values = fc.Arbitrary<JsonValue>;

/** What belongs to no schema in particular: each is wrong in most places. */
const STRAY = fc.constantFrom<JsonValue>(null, '', 'a', 0, -1, 1.5, true, [], {}, ['a'], { a: 1 }, '10%', '5Mi');

/** Objects near the schema of a spec. */
export function specsOf(schema: JsonObject): Values {
  return byType(schema);
}

/** Values near a structural schema: most are what it asks for, some are at a bound or wrong. */
function valuesOf(schema: JsonObject): Values {
  const words = listAt(schema, 'enum') as JsonValue[];
  const near = words.length > 0 ? fc.constantFrom(...words) : byType(schema);
  return fc.oneof({ weight: 39, arbitrary: near }, { weight: 1, arbitrary: STRAY });
}

function byType(schema: JsonObject): Values {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return fc.oneof(fc.constantFrom<JsonValue>('1', '50%', '1.5Gi', '', 'x'), fc.integer({ min: -2, max: 12 }));
  }
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return numberOf(schema);
    case 'number':
      return fc.oneof(numberOf(schema), fc.constantFrom<JsonValue>(0.5, 0, 1, 1.25));
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const most = typeof schema.maxItems === 'number' ? schema.maxItems : 3;
      return fc.array(valuesOf((schema.items ?? {}) as JsonObject), { maxLength: Math.min(most, 5) });
    }
    case 'object':
      return objectOf(schema);
    default:
      return STRAY;
  }
}

/** Most numbers are in the bounds, some are just beyond. */
function numberOf({ minimum, maximum }: JsonObject): Values {
  const min = typeof minimum === 'number' ? Math.trunc(minimum) : -5;
  const max = typeof maximum === 'number' ? Math.trunc(maximum) : Math.max(min, 0) + 3_000;
  const beyond = fc.constantFrom(min - 1, max + 1);
  return fc.oneof({ weight: 19, arbitrary: fc.integer({ min, max }) }, { weight: 1, arbitrary: beyond });
}

const TEXTS = [
  ...[
    '',
    'a',
    'b',
    'abc',
    'a.b-c',
    '*.a.b',
    'a.example.com',
    '5m',
    '24h',
    '30d',
    'A/b',
    'a/b:1',
    ' ',
    'kube-system',
    'root',
  ],
  ...[
    '1',
    '12',
    '1Gi',
    '10Gi',
    '0.5',
    '500m',
    '3b241101-e2bb-4255-8caf-4136c566a962',
    '0123456789abcdef',
    'x'.repeat(70),
  ],
  ...['2026-12-01T05:00:00Z', '2026-12-01T05:00:00+01:00', '1h30m', 'a@example.com', 'KEY_1', '/a/b', 'ReadWriteMany'],
];

function textOf({ pattern, minLength, maxLength }: JsonObject): Values {
  const any = fc.constantFrom(...TEXTS);
  // JavaScript lacks the flag and the end of a text that the pattern of one shape has.
  const source = typeof pattern === 'string' ? pattern.replace('^(?i)[a-z/]+\\z', '^[A-Za-z/]+$') : '';
  const [least, most] = [Number(minLength ?? 0), Number(maxLength ?? 100)];
  const fits = (text: string) => new RegExp(source).test(text) && text.length >= least && text.length <= most;
  const fitting = TEXTS.filter(fits);
  if (fitting.length === 0) return any;
  return fc.oneof({ weight: 39, arbitrary: fc.constantFrom(...fitting) }, { weight: 1, arbitrary: any });
}

function objectOf({ properties, required, additionalProperties, ...schema }: JsonObject): Values {
  if (isFields(additionalProperties)) {
    const values = valuesOf(additionalProperties as JsonObject);
    return fc.dictionary(fc.constantFrom('a', 'b', 'c.d/e'), values, { maxKeys: 3 }) as Values;
  }
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const embedded = { apiVersion: fc.constantFrom('v1', ''), kind: fc.constant('ConfigMap'), metadata: fc.constant({}) };
  const fields = Object.entries((properties ?? {}) as Record<string, JsonObject>).map(
    ([name, inner]) => [name, valuesOf(inner)] as const,
  );
  const model = { ...(isEmbedded && embedded), ...Object.fromEntries(fields), unknown: fc.constant('field') };
  // A required field is absent now and then, and an optional one half the time.
  const needed = [...((required ?? []) as string[]), ...(isEmbedded ? ['apiVersion', 'kind'] : [])];
  const kept = Object.keys(model).map((name) =>
    fc.integer({ min: 0, max: 39 }).map((drawn) => drawn < (needed.includes(name) ? 39 : 20)),
  );
  return fc.tuple(fc.record(model), fc.tuple(...kept)).map(([whole, keeps]) => {
    const entries = Object.entries(whole as JsonObject).filter(([name]) => keeps[Object.keys(model).indexOf(name)]);
    return Object.fromEntries(entries);
  });
}
