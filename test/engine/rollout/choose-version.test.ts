import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '../../../lib/adapters/memory/memory-state-store.ts';
import type { SkinnyEvent } from '../../../lib/core/event.ts';
import { RolloutShare } from '../../../lib/core/rollout.ts';
import { chooseVersion } from '../../../lib/engine/rollout/choose-version.ts';
import { ApiError, type ApiErrorReason, type ClusterApi } from '../../../lib/ports/cluster-api.ts';
import type { TargetState } from '../../../lib/ports/state-store.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { widgetController } from '../../support/widget.ts';

const current = widgetController({ version: '1' });
const next = widgetController({ version: '2' });
const rollout = { next, share: new RolloutShare('2', [{ labelSelector: 'tier=canary' }]) };
const target = { cluster: 'test', kind: 'widgets.test.evenkeel.dev', namespace: 'default', name: 'a', uid: 'u' };

/** The version of a pass that a user's change requested, while the labels of the object cannot be read. */
async function chosen(reconcilerVersion: string, reason: ApiErrorReason): Promise<string> {
  const api = { get: () => Promise.reject(new ApiError(reason, 'no')) } as unknown as ClusterApi;
  const event = { cause: 'updated', ...target, incarnation: 1, resourceVersion: '8' } as unknown as SkinnyEvent;
  const state = { target, reconcilerVersion, incarnation: 1, observedVersion: 7 } as unknown as TargetState;
  const store = new MemoryStateStore({ clock: new ManualClock() });
  const { controller } = await chooseVersion({ current, rollout, event, state, api, store });
  return controller.version;
}

describe('the version of a pass', () => {
  it.each(['ServerError', 'Timeout', 'Forbidden'] as const)(
    'R-6.11 version stays the one that reconciled the object last when its labels cannot be read (%s)',
    async (reason) => {
      expect(await chosen('2', reason)).toBe('2');
      expect(await chosen('1', reason)).toBe('1');
    },
  );
});
