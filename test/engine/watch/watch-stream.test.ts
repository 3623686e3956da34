import { describe, expect, it } from 'vitest';
import { Namespaces, type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { watchStreams } from '../../../lib/engine/watch/watch-stream.ts';
import { widgets } from '../relay/relay-fixture.ts';

const Gadgets: ResourceType = {
  group: 'test.evenkeel.dev',
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
};

function streams(controllers: Parameters<typeof widgets>[0][], scope: Parameters<typeof watchStreams>[1]) {
  return watchStreams(new Registry(controllers.map((parts) => widgets(parts))), scope).map(({ id, labelSelector }) =>
    labelSelector === undefined ? id : `${id} [${labelSelector}]`,
  );
}

describe('what there is to watch', () => {
  it('R-6.7 every watched kind is watched in all namespaces, owned ones by our label', () => {
    expect(streams([{}], {})).toEqual([
      'configmaps [app.kubernetes.io/managed-by=evenkeel]',
      'secrets',
      'widgets.test.evenkeel.dev',
    ]);
  });

  it('R-4.4 no polled kind is watched', () => {
    expect(streams([{ reads: [{ type: Secrets, mode: 'poll' }], owns: [] }], {})).toEqual([
      'widgets.test.evenkeel.dev',
    ]);
  });

  it('R-6.7 namespaced kinds are watched only in the namespaces of the deployment, cluster-scoped ones once', () => {
    const reads = [{ type: Namespaces, mode: 'watch' } as const];
    expect(streams([{ reads, owns: [] }], { namespaces: ['b', 'a', 'b'] })).toEqual([
      'namespaces',
      'widgets.test.evenkeel.dev@a',
      'widgets.test.evenkeel.dev@b',
    ]);
    expect(streams([{ owns: [], reads: [] }], { namespaces: [] })).toEqual([]);
  });

  it('R-6.7 a kind is watched everywhere when a pass lists it everywhere, or when its controller reaches everywhere', () => {
    const scope = { namespaces: ['a'] };
    const listed = { type: Secrets, mode: 'watch', listsAllNamespaces: true } as const;
    expect(streams([{ reads: [listed], owns: [] }], scope)).toEqual(['secrets', 'widgets.test.evenkeel.dev@a']);
    expect(streams([{ reachesAllNamespaces: true }], scope)).toEqual([
      'configmaps [app.kubernetes.io/managed-by=evenkeel]',
      'secrets',
      'widgets.test.evenkeel.dev@a',
    ]);
  });

  it('R-6.7 the server selects primary objects, unless others read them as well', () => {
    const scope = { labelSelector: 'team=red' };
    const gadget = { name: 'gadget', group: 'gadgets', type: Gadgets, owns: [] };
    expect(streams([{ owns: [], reads: [] }], scope)).toEqual(['widgets.test.evenkeel.dev [team=red]']);
    const readsWidgets = { ...gadget, reads: [{ type: widgets().type, mode: 'watch' } as const] };
    expect(streams([{ owns: [], reads: [] }, readsWidgets], scope)).toEqual([
      'gadgets.test.evenkeel.dev [team=red]',
      'widgets.test.evenkeel.dev',
    ]);
  });
});
