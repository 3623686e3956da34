import { describe, expect, it } from 'vitest';
import { DEFAULT_LEASE_TIMINGS } from '../../../lib/core/lease.ts';
import { drawLaterFaults } from '../../../lib/testing/simulation/draw-later-faults.ts';
import { LATER_FAULT_KINDS } from '../../../lib/testing/simulation/faults/fault-kinds.ts';
import { Backlog } from '../../../lib/testing/simulation/invariants/backlog.ts';
import { ClockDelays, type ClockedTable } from '../../../lib/testing/simulation/invariants/clock-delays.ts';
import { ForeignConditions } from '../../../lib/testing/simulation/invariants/foreign-conditions.ts';
import type { Violation } from '../../../lib/testing/simulation/invariants/violation.ts';
import { WrongResultsCount } from '../../../lib/testing/simulation/invariants/wrong-results.ts';
import { drawPlan } from '../../../lib/testing/simulation/plan.ts';

const SEEDS = Array.from({ length: 1_000 }, (_, index) => index + 1);
const OPTIONS = { actions: [['edits', 'deletes']] };
const TARGET = { cluster: 'c', kind: 'widgets.example.com', namespace: 'default', name: 'one', uid: 'u1' };

function reported() {
  const found: string[] = [];
  const report = (invariant: Violation['invariant'], what: string) => found.push(`${invariant} ${what}`);
  return { found, report };
}

/** Parts of what a checker is told; the rest is not looked at. */
const given = <Given>(part: unknown): Given => part as Given;

describe('faults that joined later', () => {
  it('a seed that draws none of them has the plan that it had before', () => {
    const untouched = SEEDS.filter((seed) => {
      const { disturbances, rates } = drawLaterFaults(seed, 60_000, []);
      return disturbances.length === 0 && Object.keys(rates).length === 0;
    });
    expect(untouched.length / SEEDS.length).toBeCloseTo(0.75, 1);
    for (const seed of untouched.slice(0, 50))
      expect(drawPlan(seed, OPTIONS)).toEqual(drawPlan(seed, { ...OPTIONS, without: [...LATER_FAULT_KINDS] }));
  });

  it('a seed that draws one of them keeps everything else', () => {
    const touched = SEEDS.filter((seed) => drawLaterFaults(seed, 60_000, []).disturbances.length > 0).slice(0, 50);
    for (const seed of touched) {
      const { disturbances, rates, ...rest } = drawPlan(seed, OPTIONS);
      const before = drawPlan(seed, { ...OPTIONS, without: [...LATER_FAULT_KINDS] });
      expect({ ...before, disturbances, rates }).toEqual({ ...rest, disturbances, rates });
      expect(disturbances).toEqual(expect.arrayContaining([...before.disturbances]));
    }
  });

  it('each of them is drawn by some seeds', () => {
    const kinds = SEEDS.flatMap((seed) => {
      const { disturbances, rates } = drawLaterFaults(seed, 60_000, []);
      return [...disturbances.map(({ kind }) => kind), ...Object.keys(rates)];
    });
    expect(new Set(kinds)).toEqual(new Set(LATER_FAULT_KINDS));
  });
});

describe('ClockDelays', () => {
  const table = (target: object): ClockedTable => ({ targets: [given({ target: TARGET, ...target })], cluster: {} });

  it.each([
    ['lasts ten minutes', 600_000, true],
    ['lasts as long as a lease does', DEFAULT_LEASE_TIMINGS.leaseMs, false],
    ['is over', -1, false],
  ])('R-1.29 a lease that %s is found: %#', (_, leftMs, isFound) => {
    const { found, report } = reported();
    const nowMs = 5_000_000;
    const lease = { owner: 'w', attempt: 'a', untilMs: nowMs + leftMs };
    new ClockDelays(report, DEFAULT_LEASE_TIMINGS, () => nowMs).check(table({ lease }), 90_000);
    expect(found.length > 0).toBe(isFound);
  });

  it('R-1.29 a retry that a clock ten minutes ahead put off by ten minutes is found, one in its time is not', () => {
    for (const [aheadMs, isFound] of [
      [600_000, true],
      [0, false],
      [-600_000, false],
    ] as const) {
      const { found, report } = reported();
      let nowMs = 5_000_000;
      const delays = new ClockDelays(report, DEFAULT_LEASE_TIMINGS, () => nowMs);
      const dueAtMs = nowMs + aheadMs + 2_000;
      const commit = { dueAtMs, lastOutcome: { type: 'retry', atMs: nowMs + aheadMs } };
      delays.committed(given({ pass: { target: TARGET } }), given({}), given(commit));
      nowMs += 300_000;
      delays.check(table({ dueAtMs }), 90_000);
      expect(found.length > 0).toBe(isFound);
    }
  });

  it('R-1.29 a relay hold from the future is found', () => {
    const { found, report } = reported();
    const delays = new ClockDelays(report, DEFAULT_LEASE_TIMINGS, () => 1_000);
    delays.check({ targets: [], cluster: given({ relay: { owner: 'r', untilMs: 600_000 } }) }, 90_000);
    expect(found).toHaveLength(1);
    delays.check({ targets: [], cluster: given({ relay: { owner: 'r', untilMs: 90_000 } }) }, 90_000);
    expect(found).toHaveLength(1);
  });
});

describe('ForeignConditions', () => {
  const ours = { type: 'Ready', status: 'True' };
  const theirs = { type: 'user.example.com/Checked', status: 'True' };
  const object = (conditions: object[]) => ({ status: { conditions } });

  it.each([
    ['removes it', [ours], true],
    ['changes it', [{ ...theirs, status: 'False' }], true],
    ['keeps it and removes its own', [theirs], false],
    ['puts its own before it', [ours, theirs], false],
  ])('R-1.31 a write that %s: %#', (_, after, isFound) => {
    const { found, report } = reported();
    const write = { before: object([ours, theirs]), after: object(after) };
    new ForeignConditions(report).wrote(given(write), given({ pass: { target: TARGET } }));
    expect(found.length > 0).toBe(isFound);
  });
});

describe('WrongResultsCount', () => {
  const process = { alive: true };
  const scope = { process, event: TARGET };
  const pass = { target: TARGET, scope, startedAtMs: 0 };
  const make = () => {
    const { found, report } = reported();
    const count = new WrongResultsCount(
      report,
      () => 1_000,
      () => given(pass),
    );
    const end = (wrong: string | undefined) => count.ended(given({ process, kind: TARGET.kind, uid: 'u1', wrong }));
    const commit = (type: string) => count.committed(given({ pass }), given({}), given({ lastOutcome: { type } }));
    return { found, count, end, commit };
  };

  it('R-1.27 a wrong result that is not committed as a failure is found', () => {
    const { found, end, commit } = make();
    end('returns {}');
    commit('retry');
    end('returns {}');
    end(undefined);
    commit('settled');
    expect(found).toEqual([]);
    end('returns {}');
    commit('settled');
    expect(found).toHaveLength(1);
  });

  it('R-1.27 a pass that keeps its lease after a wrong result is found, unless a call of it failed since', () => {
    const { found, count, end } = make();
    end('throws null');
    count.called(given({ scope }), given({ ok: false }));
    count.handled(given(scope), false);
    expect(found).toEqual([]);
    end('throws null');
    count.handled(given(scope), false);
    expect(found).toHaveLength(1);
  });
});

describe('Backlog', () => {
  it('R-5.17 more messages of dependencies than may wait for one target are found, of others any number may wait', () => {
    const messages = (count: number, cause: string) =>
      Array.from({ length: count }, () => ({ messageGroupId: 'one', body: JSON.stringify({ cause }) }));
    for (const [waiting, isFound] of [
      [messages(17, 'dependency'), true],
      [messages(16, 'dependency'), false],
      [messages(40, 'updated'), false],
    ] as const) {
      const { found, report } = reported();
      new Backlog(report, { group: { events: { messages: () => waiting } } }).called(
        given({ method: 'send' }),
        given({ ok: true }),
      );
      expect(found.length > 0).toBe(isFound);
    }
  });
});
