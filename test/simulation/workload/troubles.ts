import { mergeConditions, readConditions } from '../../../lib/core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../lib/core/controller.ts';
import { TerminalError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { settled } from '../../../lib/core/outcome.ts';
import type { ControllerHost } from '../../../lib/testing/simulation/controller-host.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, simKind, specOf } from './sim-kind.ts';

/**
 * A Trouble fails, hangs, gives up, or kills its process, until somebody repairs it. A slow one uses nearly all of the
 * time of a pass, so that after an event during the pass it is too late for another attempt.
 */
export const Troubles = simKind('Trouble');
const NAMES = ['x0', 'x1'] as const;
const MODES = ['ok', 'ok', 'fails', 'hangs', 'gives-up', 'kills', 'slow'] as const;

interface TroubleSpec {
  readonly mode: (typeof MODES)[number];
}

/**
 * Each call makes its own promise: everything that waits for a shared promise is kept in memory as long as that
 * promise.
 */
const never = () => new Promise<never>(() => {});

/**
 * Depends on the generation, so that each length occurs: a pass may take 20 s, and starts no other attempt in its last
 * two seconds.
 */
const slowMs = ({ metadata }: KubeObject) => 16_000 + ((metadata.generation ?? 0) % 4) * 900;

function controllerOf({ clock, crash }: ControllerHost): Controller {
  return {
    name: 'trouble',
    group: 'sim',
    type: Troubles,
    owns: [],
    reads: [],
    version: '1',
    conditions: ['Ready'],
    async reconcile(trouble, { signal, nowMs }) {
      switch (specOf<TroubleSpec>(trouble).mode) {
        case 'slow':
          await clock.sleep(slowMs(trouble), signal);
          return settledAt(trouble, nowMs);
        case 'ok':
          return settledAt(trouble, nowMs);
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

function settledAt({ metadata, status }: KubeObject, nowMs: number): ReconcileResult {
  const generation = metadata.generation ?? 0;
  const ready = { type: 'Ready', status: 'True', reason: 'Mended', message: '' } as const;
  const conditions = mergeConditions(readConditions(status), [ready], generation, nowMs);
  return { outcome: settled(), status: { generation, conditions: conditions.map((each) => ({ ...each })) } };
}

function check(cluster: ClusterView): Fault[] {
  return cluster.list(Troubles).flatMap((trouble) => {
    const { name, generation } = trouble.metadata;
    const seen = (trouble.status as { generation?: number } | undefined)?.generation;
    const { mode } = specOf<TroubleSpec>(trouble);
    // A fault that needs a person is shown on the object, although it was thrown.
    if (mode === 'gives-up' && trouble.metadata.deletionTimestamp === undefined) {
      const ready = readConditions(trouble.status).find(({ type }) => type === 'Ready');
      if (ready?.status === 'False' && ready.reason === 'GaveUp' && ready.observedGeneration === generation) return [];
      return [`trouble ${name} gave up at generation ${generation}, and its Ready is ${JSON.stringify(ready)}`];
    }
    if (!['ok', 'slow'].includes(mode) || seen === generation) return [];
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
    // A pass that kills its process also kills its other work, so no time can be guaranteed.
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
