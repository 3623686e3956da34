import { describe, expect, it } from 'vitest';
import { checkRemovable } from '../../infra/before-removal.ts';
import type { ClusterUse } from '../../lib/ports/cluster-use-store.ts';

const FREE = { finalizers: {}, leases: [], schemas: {}, release: '0.1.0', sinceMs: 0 };

function use(cluster: string, has: Partial<Pick<ClusterUse, 'finalizers' | 'leases'>>): ClusterUse {
  return { cluster, ...FREE, ...has };
}

const refusal = (registered: readonly string[], uses: readonly ClusterUse[]): string[] => {
  try {
    checkRemovable('prod', { registered, uses });
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};

describe('removing a stage', () => {
  it('R-6.8 is refused while clusters are registered, with the commands for each', () => {
    const message = refusal(['east', 'west'], []).join('\n');
    expect(message).toContain('it still has the clusters east, west');
    for (const name of ['east', 'west']) {
      expect(message).toContain(
        `cluster ${name}: it is registered. Delete the objects that are to be cleaned up, run npx evenkeel cluster remove ${name} --stage prod, then npx evenkeel uninstall --context CONTEXT --stage prod --cluster ${name}. If the cluster is gone: npx evenkeel cluster remove ${name} --stage prod --forgo`,
      );
    }
  });

  it('R-6.8 is refused while a cluster that was taken out still has finalizers or Leases of the stage', () => {
    const message = refusal(
      [],
      [
        use('north', { finalizers: { 'evenkeel.dev/Gateway': ['evenkeel.dev/gateway'] } }),
        use('south', { leases: ['evenkeel-t4'] }),
        use('free', {}),
      ],
    ).join('\n');
    expect(message).toContain('it still has the clusters north, south');
    expect(message).toContain('cluster north: it has finalizers of evenkeel.dev/Gateway. Run npx evenkeel uninstall');
    expect(message).toContain('cluster south: it has the Lease evenkeel-t4. Run npx evenkeel uninstall');
    expect(message).not.toContain('free');
  });

  it('R-6.8 says both of a registered cluster that has something of the stage', () => {
    const message = refusal(['east'], [use('east', { leases: ['evenkeel-t4'] })]).join('\n');
    expect(message).toContain('cluster east: it is registered, and it has the Lease evenkeel-t4. Delete');
  });

  it('R-6.8 names the files of own controllers, without which their finalizers are not found', () => {
    expect(() => checkRemovable('prod', { registered: ['east'], uses: [] }, ['./a.ts', './b.ts'])).toThrow(
      '--cluster east --controllers ./a.ts --controllers ./b.ts. If',
    );
  });

  it('R-6.8 continues when no cluster is registered or has anything of the stage', () => {
    expect(refusal([], [use('free', {})])).toEqual([]);
  });
});
