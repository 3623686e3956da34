import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../lib/core/kube-object.ts';
import { withoutSecretValues } from '../../lib/plan/redact.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const NAMES = {
  name: 'webshop',
  namespace: 'bookstore',
  uid: '00000000-uid-1',
  resourceVersion: '123456',
  generation: 1234567,
};
const owner = { apiVersion: 'example.com/v1', kind: 'Customer', name: 'webshop', uid: '00000000-uid-2' };

/** An object with these fields, next to a Secret with these values, in the form of a capture. */
function hidden(data: Record<string, string>, fields: Record<string, unknown>): Record<string, unknown> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'bookstore', uid: 'u', resourceVersion: '1' },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  };
  const object = { apiVersion: 'example.com/v1', kind: 'Shop', metadata: NAMES, ...fields };
  const [, found] = withoutSecretValues([secret, object] as unknown as KubeObject[]).objects;
  return found as unknown as Record<string, unknown>;
}

describe('an object of a capture', () => {
  it('R-6.11 capture keeps what identifies an object when Secrets hold the same texts', () => {
    const texts = ['webshop', 'bookstore', '00000000-uid-1', '123456', '1234567', 'example.com/v1', 'Customer', 'Shop'];
    const data = Object.fromEntries(texts.map((text, index) => [`key${index}`, text]));
    const metadata = { ...NAMES, ownerReferences: [owner], finalizers: ['webshop.example.com/done'] };
    expect(hidden(data, { metadata })).toEqual({ apiVersion: 'example.com/v1', kind: 'Shop', metadata });
  });

  it.each<[string, unknown, unknown]>([
    ['a reference to an object that is named so', { secretName: 'webshop' }, undefined],
    ['a reference to a namespace', { namespace: 'bookstore' }, undefined],
    ['a number that a short value is equal to', { replicas: 1 }, undefined],
    ['a text that a short value is equal to', { mode: '1' }, undefined],
    ['a number that contains a value', { size: 1987654 }, undefined],
    ['a field that is named like a value', { database: 'none', nested: { imagePullPolicy: 'Always' } }, undefined],
    ['a number that is a value', { pin: 987654 }, { pin: 1 }],
    ['a text that contains a value', { url: 'db://canary-5' }, { url: 'redacted-1' }],
    [
      'equal texts',
      { one: 'a canary-5', two: 'b canary-5', three: 'a canary-5' },
      { one: 'redacted-1', two: 'redacted-2', three: 'redacted-1' },
    ],
    ['keys that contain a value', { 'a-canary-5': 1, 'b-canary-5': 2 }, { 'redacted-1': 1, 'redacted-2': 2 }],
    ['a managed field', { 'f:a-canary-5': {}, 'f:database': {} }, { 'f:redacted-1': {}, 'f:database': {} }],
  ])('R-6.11 capture keeps types and references and hides the rest when an object holds %s', (_, spec, kept) => {
    const data = {
      user: 'webshop',
      space: 'bookstore',
      port: '1',
      pin: '987654',
      name: 'database',
      pull: 'imagePull',
      key: 'canary-5',
    };
    const numbered = (value: unknown) => renumbered(JSON.parse(JSON.stringify(value)));
    expect(numbered(hidden(data, { spec }).spec)).toEqual(numbered(kept ?? spec));
  });

  it('R-6.11 capture keeps a definition when a Secret holds a word of its schema', () => {
    const definition = { kind: 'CustomResourceDefinition', spec: { names: { kind: 'Canary' }, type: 'canary-5' } };
    expect(hidden({ key: 'canary-5', kind: 'Canary' }, definition)).toMatchObject(definition);
  });

  it('R-6.11 capture keeps a reference when the pass looked for its object in vain', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...NAMES, name: 's' },
      data: { key: base64('missing') },
    };
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: NAMES,
      data: { ref: 'missing-one', text: 'a missing one' },
    };
    const [, kept] = withoutSecretValues([secret, object] as unknown as KubeObject[], ['missing-one']).objects;
    expect(kept).toMatchObject({ data: { ref: 'missing-one', text: expect.stringContaining('redacted') } });
  });

  it('R-6.11 capture replaces a copy of a value, in an object or a durable value, by the same text that it puts into the Secret', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...NAMES, name: 's' },
      data: { key: base64('canary-5') },
    };
    const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...NAMES, name: 'c' }, data: { key: 'canary-5' } };
    const redacted = withoutSecretValues([secret, copy] as unknown as KubeObject[], [], {
      stage: 'canary-5',
      step: 'made',
    });
    const [one, other] = redacted.objects as unknown as (typeof copy)[];
    expect(Buffer.from(one?.data.key ?? '', 'base64').toString()).toBe(other?.data.key);
    expect(redacted.values).toEqual({ stage: other?.data.key, step: 'made' });
  });
});

/** Numbers the stand-ins of one object from 1. */
function renumbered(value: unknown): unknown {
  const seen = new Map<string, number>();
  const text = JSON.stringify(value).replace(/redacted-\d+/g, (found) => {
    seen.set(found, seen.get(found) ?? seen.size + 1);
    return `redacted-${seen.get(found)}`;
  });
  return JSON.parse(text);
}
