import type { TargetState } from '../../ports/state-store.ts';
import { cleanEdges } from './after-commit.ts';
import { startAgain } from './commit.ts';
import { authorCode, ended, isHeldBy, lost, type Next, type Pass, type PassDependencies } from './pass.ts';

/** Far longer than any request takes, any worker is frozen, or any clock is set back. */
const FORGOTTEN_KEPT_MS = 3_600_000;

/** The item is removed before its edges: a leftover edge costs one needless pass, a missing one loses an event. */
export async function forget(deps: PassDependencies, pass: Pass, state: TargetState): Promise<Next> {
  const { store, clock } = deps;
  if (!(await store.forget(pass.hold, clock.now() + FORGOTTEN_KEPT_MS))) {
    const found = await store.readTarget(pass.target);
    if (found !== undefined)
      return isHeldBy(pass, found) ? await startAgain(deps, pass, state, found.dirty) : ended(lost(deps, pass));
  }
  await cleanEdges(deps, pass, state, []);
  authorCode(deps, pass).forgotten(pass.target);
  return ended({ end: 'forgotten' });
}
