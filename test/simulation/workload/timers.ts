import type { Controller } from '../../../lib/core/controller.ts';
import { checkAt, settled } from '../../../lib/core/outcome.ts';
import type { User } from '../../../lib/testing/simulation/user.ts';
import type { ClusterView, Fault, Workload } from '../../../lib/testing/simulation/workload.ts';
import { definitionOf, simKind, specOf } from './sim-kind.ts';

/** A Timer shows whether its time has come, by one timer. */
export const Timers = simKind('Timer');
const NAMES = ['c0', 'c1', 'c2'] as const;
/** Some timers are due at the same time. */
const GRID_MS = 5_000;
/** By then a timer of the steady state has had its pass. Before that, its clock may be ahead. */
const LATE_MS = 20_000;
const EARLY_MS = 5_000;

interface TimerSpec {
  readonly atMs: number;
}

const controller: Controller = {
  name: 'timer',
  group: 'sim',
  type: Timers,
  owns: [],
  reads: [],
  version: '1',
  async reconcile(timer, { nowMs }) {
    const { atMs } = specOf<TimerSpec>(timer);
    const status = { atMs, come: nowMs >= atMs };
    return { outcome: nowMs >= atMs ? settled() : checkAt(atMs), status };
  },
};

function check({ nowMs, ...cluster }: ClusterView): Fault[] {
  return cluster.list(Timers).flatMap((timer): Fault[] => {
    const { atMs } = specOf<TimerSpec>(timer);
    const { name } = timer.metadata;
    const status = (timer.status ?? {}) as { atMs?: number; come?: boolean };
    if (status.atMs !== atMs) return [`timer ${name} speaks of ${status.atMs} instead of ${atMs}`];
    if (nowMs > atMs + LATE_MS && status.come !== true)
      return [{ invariant: 'I11', what: `timer ${name} is ${nowMs - atMs} ms late` }];
    if (nowMs < atMs - EARLY_MS && status.come !== false)
      return [{ invariant: 'I11', what: `timer ${name} is ${atMs - nowMs} ms early` }];
    return [];
  });
}

const timerNamed = (user: User) => ({ namespace: 'default', name: user.pick(NAMES) });

/** Mostly within minutes; a few so far ahead that only the sweep can send their wake. */
function spec(user: User): { atMs: number } {
  const aheadMs = user.chance(0.2) ? 900_000 + user.number(300_000) : user.number(120_000);
  return { atMs: Math.ceil((user.nowMs + aheadMs) / GRID_MS) * GRID_MS };
}

export function timers(): Workload {
  return {
    controllers: [controller],
    definitions: [definitionOf(Timers)],
    namespaces: ['default'],
    actions: {
      'sets a timer': (user) => user.put(Timers, { metadata: timerNamed(user), spec: spec(user) }),
      'sets a timer again': (user) => user.edit(Timers, timerNamed(user), { spec: spec(user) }),
      'labels a timer': (user) => label(user),
      'deletes a timer': (user) => user.remove(Timers, timerNamed(user)),
    },
    check,
  };
}

/** A pass that changes nothing keeps the timer. */
function label(user: User): Promise<void> {
  return user.edit(Timers, timerNamed(user), { metadata: { labels: { mark: String(user.number(100)) } } });
}
