import { describe, expect, it } from 'vitest';
import { builtinNode } from '../../../lib/apiserver/fields/builtin.ts';
import { strategicMergePatch } from '../../../lib/apiserver/fields/strategic-merge.ts';
import { clone, type JsonObject } from '../../../lib/apiserver/json.ts';

const pod = builtinNode('v1', 'Pod');
const deployment = builtinNode('apps/v1', 'Deployment');
const a = { name: 'a', image: 'a:1' };
const b = { name: 'b', image: 'b:1', env: [{ name: 'X', value: '1' }], args: ['p'] };

function containers(patch: JsonObject, live: readonly JsonObject[] = [a, b]): unknown {
  const patched = strategicMergePatch({ spec: { containers: [...live] } }, { spec: patch }, pod);
  return (patched.spec as JsonObject).containers;
}

describe('strategic merge patches', () => {
  it('R-6.2 maps merge, null removes, scalars and other lists are replaced', () => {
    const live = { metadata: { labels: { x: '1', y: '2' } }, spec: { nodeName: 'n', tolerations: [{ key: 'k' }] } };
    const patch = {
      metadata: { labels: { x: null, z: '3' } },
      spec: { nodeName: 'm', tolerations: [{ key: 'l' }], hostname: null },
    };
    const before = clone<JsonObject>(live);
    expect(strategicMergePatch(live, patch, pod)).toEqual({
      metadata: { labels: { y: '2', z: '3' } },
      spec: { nodeName: 'm', tolerations: [{ key: 'l' }] },
    });
    expect(live).toEqual(before);
  });

  it('R-6.2 items with a merge key merge, others are added, $patch: delete removes one', () => {
    const env = [{ name: 'Y', value: '2' }];
    expect(containers({ containers: [{ name: 'b', image: 'b:2', env, args: ['q'] }, { name: 'c' }] })).toEqual([
      a,
      {
        name: 'b',
        image: 'b:2',
        env: [
          { name: 'Y', value: '2' },
          { name: 'X', value: '1' },
        ],
        args: ['q'],
      },
      { name: 'c' },
    ]);
    expect(
      containers({
        containers: [
          { name: 'a', $patch: 'delete' },
          { name: 'z', $patch: 'delete' },
        ],
      }),
    ).toEqual([b]);
  });

  it('R-6.2 $patch: replace replaces a map or a list', () => {
    expect(containers({ containers: [{ name: 'c' }, { $patch: 'replace' }] })).toEqual([{ name: 'c' }]);
    expect(containers({ $patch: 'replace', containers: [{ name: 'c', args: null }] })).toEqual([{ name: 'c' }]);
    const live = { metadata: { labels: { x: '1' } } };
    expect(strategicMergePatch(live, { metadata: { labels: { $patch: 'replace', y: '2' } } }, pod)).toEqual({
      metadata: { labels: { y: '2' } },
    });
    expect(strategicMergePatch(live, { metadata: { labels: { $patch: 'delete' } } }, pod)).toEqual({
      metadata: { labels: {} },
    });
  });

  it('R-6.2 without an order given, the items of the patch order those of the list', () => {
    expect(containers({ containers: [{ name: 'c' }, { name: 'a', image: 'a:2' }] })).toEqual([
      { name: 'c' },
      { name: 'a', image: 'a:2' },
      b,
    ]);
    const metadata = { finalizers: ['y', 'n'] };
    expect(strategicMergePatch({ metadata: { finalizers: ['x', 'y', 'z'] } }, { metadata }, pod)).toEqual({
      metadata: { finalizers: ['x', 'y', 'n', 'z'] },
    });
  });

  it('R-6.2 $setElementOrder orders the listed elements and leaves the others in place', () => {
    const live = [a, { name: 's' }, b];
    const order = [{ name: 'b' }, { name: 'c' }, { name: 'a' }];
    expect(containers({ '$setElementOrder/containers': order, containers: [{ name: 'c' }] }, live)).toEqual([
      { name: 's' },
      b,
      { name: 'c' },
      a,
    ]);
    expect(containers({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] })).toEqual([b, a]);
    expect(
      containers({ '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a', $patch: 'delete' }] }),
    ).toEqual([b]);
  });

  it('R-6.2 elements of a set are added once, ordered and deleted', () => {
    const live = { metadata: { finalizers: ['x', 'y'] } };
    const merge = (metadata: JsonObject): unknown => strategicMergePatch(live, { metadata }, pod).metadata;
    expect(merge({ finalizers: ['y', 'z'] })).toEqual({ finalizers: ['x', 'y', 'z'] });
    expect(merge({ '$deleteFromPrimitiveList/finalizers': ['x'], '$setElementOrder/finalizers': ['y'] })).toEqual({
      finalizers: ['y'],
    });
    expect(merge({ finalizers: ['z'], '$setElementOrder/finalizers': ['z', 'y', 'x'] })).toEqual({
      finalizers: ['z', 'y', 'x'],
    });
  });

  it('R-6.2 $retainKeys drops the members it does not name', () => {
    const live = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(strategicMergePatch(live, patch, deployment)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('R-6.2 what has nothing to merge with is taken without directives', () => {
    const patch = {
      spec: {
        containers: [{ name: 'a', '$setElementOrder/env': [], env: [{ name: 'x', $patch: 'delete' }], args: null }],
      },
    };
    expect(strategicMergePatch({}, patch, pod)).toEqual({ spec: { containers: [{ name: 'a', env: [] }] } });
  });

  const refused: [patch: JsonObject, code: 400 | 500, message: string][] = [
    [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [{ spec: { $patch: 'explode' } }, 500, 'unknown patch type: explode in map: map[$patch:explode]'],
    [{ spec: { containers: ['a'] } }, 500, 'list element types are not identical: [[map[image:a:1 name:a]] [a]]'],
    [{ spec: { $retainKeys: ['x'], nodeName: 'n' } }, 400, 'invalid patch format of retainKeys'],
    [
      { metadata: { '$setElementOrder/finalizers': ['a'], finalizers: ['z'] } },
      500,
      "The order in patch list:\n[z]\n doesn't match $setElementOrder list:\n[a]\n",
    ],
  ];
  it.each(refused)('R-6.4 %j is refused', (patch, code, message) => {
    const live = { metadata: { finalizers: ['a'] }, spec: { containers: [a] } };
    expect(() => strategicMergePatch(live, patch, pod)).toThrow(expect.objectContaining({ code, message }));
  });
});
