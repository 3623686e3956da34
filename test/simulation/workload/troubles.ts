import type { Controller } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ControllerHost } from '../../../lib/testing/simulation/simulation.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, simKind, specOf } from './sim-kind.ts';

/** A Trouble fails, hangs, gives up, or kills its process, until somebody mends it. */
export const Troubles = simKind('Trouble');
const NAMES = ['x0', 'x1'] as const;
const MODES = ['ok', 'ok', 'fails', 'hangs', 'gives-up', 'kills'] as const;

interface TroubleSpec {
  readonly mode: (typeof MODES)[number];
}

/** Each its own: what waits for a shared one is kept as long as that is. */
const never = () => new Promise<never>(() => {});

function controllerOf({ crash }: ControllerHost): Controller {
  return {
    name: 'trouble',
    group: 'sim',
    type: Troubles,
    owns: [],
    reads: [],
    version: '1',
    async reconcile(trouble) {
      switch (specOf<TroubleSpec>(trouble).mode) {
        case 'ok':
          return { outcome: settled(), status: { generation: trouble.metadata.generation ?? 0 } };
        case 'fails':
          throw new Error('it fails');
        case 'gives-up':
          throw new TerminalError('GaveUp', 'it gave up');
        case 'hangs':
          return await never();
        case 'kills':
          crash();
          return await never();
      }
    },
  };
}

function check(cluster: ClusterView): Fault[] {
  return cluster.list(Troubles).flatMap((trouble) => {
    const { name, generation } = trouble.metadata;
    const seen = (trouble.status as { generation?: number } | undefined)?.generation;
    if (specOf<TroubleSpec>(trouble).mode !== 'ok' || seen === generation) return [];
    return [`trouble ${name} was mended at generation ${generation}, and its status speaks of ${seen}`];
  });
}

const troubleNamed = (user: User) => ({ namespace: 'default', name: user.pick(NAMES) });

export function troubles(): Workload {
  return {
    controllers: (host) => [controllerOf(host)],
    definitions: [definitionOf(Troubles)],
    namespaces: ['default'],
    actions: {
      'makes trouble': (user) => user.put(Troubles, { metadata: troubleNamed(user), spec: { mode: user.pick(MODES) } }),
      'changes a trouble': (user) => user.edit(Troubles, troubleNamed(user), { spec: { mode: user.pick(MODES) } }),
      'mends a trouble': (user) => user.edit(Troubles, troubleNamed(user), { spec: { mode: 'ok' } }),
      'deletes a trouble': (user) => user.remove(Troubles, troubleNamed(user)),
    },
    // A pass that kills its process takes with it whatever else that has in work: no time can be promised beside it.
    settle: async (user) => {
      for (const { metadata, spec } of await user.list(Troubles)) {
        if ((spec as TroubleSpec).mode !== 'kills') continue;
        await user.edit(Troubles, { namespace: 'default', name: metadata.name }, { spec: { mode: 'ok' } });
      }
    },
    lastChange: (user) => user.put(Troubles, { metadata: troubleNamed(user), spec: { mode: 'ok' } }),
    check,
    restless: (object: KubeObject) =>
      object.kind === Troubles.kind && ['fails', 'hangs'].includes(specOf<TroubleSpec>(object).mode),
  };
}
