import { describe, expect, it } from 'vitest';
import type { ApiCall } from '../../../lib/adapters/kubernetes/api-call.ts';
import { collectionPath, objectPath } from '../../../lib/adapters/kubernetes/resource-path.ts';
import { ConfigMaps, Namespaces } from '../../../lib/core/resource-type.ts';
import { Planets, Widgets } from './kinds.ts';

const call = (fields: Partial<ApiCall>): ApiCall => ({
  verb: 'GET',
  type: Widgets,
  namespace: 'shop',
  name: 'blue',
  ...fields,
});

describe('the path of a call', () => {
  it.each([
    [{ type: ConfigMaps }, '/api/v1/namespaces/shop/configmaps/blue'],
    [{ type: Namespaces, namespace: '' }, '/api/v1/namespaces/blue'],
    [{}, '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets/blue'],
    [{ type: Planets, namespace: '' }, '/apis/test.evenkeel.dev/v1/planets/blue'],
    [{ type: Planets, namespace: 'shop' }, '/apis/test.evenkeel.dev/v1/planets/blue'],
    [{ subresource: 'status' as const }, '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets/blue/status'],
    [{ name: 'system:a b?c#d' }, '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets/system%3Aa%20b%3Fc%23d'],
  ])('the path of an object with %j is %s', (fields, path) => {
    expect(objectPath(call(fields))).toBe(path);
  });

  it('the path of a collection is that of its namespace, or of all namespaces', () => {
    expect(collectionPath(call({ name: '' }))).toBe('/apis/test.evenkeel.dev/v1/namespaces/shop/widgets');
    expect(collectionPath(call({ name: '', namespace: '' }))).toBe('/apis/test.evenkeel.dev/v1/widgets');
  });

  it('the path has the query percent-encoded, without absent values', () => {
    const query = { labelSelector: 'a in (b,c),d=e&f', limit: 5, continue: undefined, watch: true };
    expect(collectionPath(call({}), query)).toBe(
      '/apis/test.evenkeel.dev/v1/namespaces/shop/widgets?labelSelector=a%20in%20(b%2Cc)%2Cd%3De%26f&limit=5&watch=true',
    );
  });

  it.each(['', '.', '..', 'a/b', '../secrets/x', 'a%2fb'])(
    'R-1.18 the path refuses the name %j, which would lead to another object',
    (name) => {
      expect(() => objectPath(call({ name }))).toThrow(/BadRequest|nothing was sent/);
      expect(() => objectPath(call({ namespace: name }))).toThrow(/nothing was sent/);
    },
  );

  it('R-1.18 the path refuses a namespaced object without a namespace', () => {
    expect(() => objectPath(call({ namespace: '' }))).toThrow(expect.objectContaining({ reason: 'BadRequest' }));
  });
});
