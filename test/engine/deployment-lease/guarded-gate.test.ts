import { describe, expect, it } from 'vitest';
import type { Gate, GateVerdict } from '../../../lib/engine/breaker/cluster-gate.ts';
import {
  DeploymentConflictError,
  DeploymentHandoverError,
} from '../../../lib/engine/deployment-lease/deployment-error.ts';
import { GuardedGate } from '../../../lib/engine/deployment-lease/guarded-gate.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const PLACE = { cluster: 'test', group: 'g' };
const LEASE = { holder: 'other', acquiredAtMs: 0, renewedAtMs: 0, durationMs: 0, transitions: 0, takenFrom: '' };

function setUp(verdict: GateVerdict, ownership: () => Promise<void>) {
  const clock = new ManualClock(1_000_000);
  const failures: unknown[] = [];
  const conflicts: DeploymentConflictError[] = [];
  let asked = 0;
  const inner: Gate = {
    check: async () => verdict,
    succeeded: async () => {},
    failed: async (_, error) => void failures.push(error),
  };
  const guard = {
    assertOurs: async () => {
      asked += 1;
      await ownership();
    },
  };
  const unread: unknown[] = [];
  const gate = new GuardedGate(
    inner,
    guard,
    clock,
    (error) => conflicts.push(error),
    (error) => unread.push(error),
  );
  return { gate, clock, failures, conflicts, unread, asked: () => asked };
}

const reject = (error: unknown) => () => Promise.reject(error);

describe('GuardedGate', () => {
  it('R-1.10 the gate lets a pass start while this deployment drives the group', async () => {
    const { gate } = setUp({ open: true }, async () => {});
    expect(await gate.check('test')).toEqual({ open: true });
  });

  it('R-1.10 the gate lets no pass start, and reports it, when another deployment drives the group', async () => {
    const conflict = new DeploymentConflictError(PLACE, LEASE);
    const { gate, conflicts } = setUp({ open: true }, reject(conflict));
    expect(await gate.check('test')).toEqual({ open: false, reason: 'AnotherDeployment', untilMs: 1_060_000 });
    expect(conflicts).toEqual([conflict]);
  });

  it('R-5.23 a pass is put off for longer when the deployment stands by for the one that drives the group', async () => {
    const clock = new ManualClock(1_000_000);
    const inner: Gate = { check: async () => ({ open: true }), succeeded: async () => {}, failed: async () => {} };
    const guard = { assertOurs: () => Promise.reject(new DeploymentConflictError(PLACE, LEASE)) };
    const gate = new GuardedGate(
      inner,
      guard,
      clock,
      () => {},
      () => {},
      900_000,
    );
    expect(await gate.check('test')).toMatchObject({ open: false, untilMs: 1_900_000 });
  });

  it('R-1.10 after a takeover passes wait until the last ones of the other deployment have ended', async () => {
    const { gate, conflicts } = setUp({ open: true }, reject(new DeploymentHandoverError(PLACE, 'other', 1_094_000)));
    expect(await gate.check('test')).toEqual({
      open: false,
      reason: 'AnotherDeployment',
      untilMs: 1_094_000,
      detail: expect.stringContaining('taking over'),
    });
    expect(conflicts).toEqual([]);
  });

  it('R-1.17 no pass starts, and the breaker counts a failure, when the cluster does not show its deployment', async () => {
    const error = new ApiError('Timeout', 'no answer');
    const { gate, failures } = setUp({ open: true }, reject(error));
    expect(await gate.check('test')).toEqual({
      open: false,
      reason: 'ClusterUnreachable',
      untilMs: 1_005_000,
      detail: expect.stringContaining('does not say which deployment'),
    });
    expect(failures).toEqual([error]);
  });

  it('R-5.14 the gate does not read the Lease of a dead or paused cluster', async () => {
    const closed: GateVerdict = { open: false, reason: 'ClusterPaused', untilMs: 7 };
    const { gate, asked } = setUp(closed, async () => {});
    expect(await gate.check('test')).toBe(closed);
    expect(asked()).toBe(0);
  });

  it('R-5.13 the gate reports twice a minute, for any number of passes, that the cluster does not show its deployment', async () => {
    const error = new ApiError('Unauthorized', 'the token ended');
    const { gate, clock, unread } = setUp({ open: true }, reject(error));
    for (let second = 0; second < 60; second += 1) {
      await gate.check('test');
      clock.jump(1_000);
    }
    expect(unread).toEqual([error, error]);
  });
});
