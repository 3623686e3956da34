import type { KubeObject } from '../../core/kube-object.ts';
import { versionNumber } from '../../core/observation.ts';
import type { Target } from '../../core/target.ts';
import type { TargetState } from '../../ports/state-store.ts';
import type { WatchedKind } from '../registry.ts';
import { MAX_TARGETS_A_READ, skinnyEvent } from '../relay/wakeup.ts';
import { isAboutToRun, isUnseen } from './is-unseen.ts';
import type { ResyncTick } from './resync-tick.ts';

type Verdict = 'seen' | 'unseen' | 'outdated';

/** Compares the targets of one list page with their items, which are read after the page was. */
export class TargetComparison {
  private readonly run: ResyncTick;
  private readonly kind: WatchedKind;
  private outdatedLeft: number;

  constructor(run: ResyncTick, kind: WatchedKind, outdatedLeft: number) {
    this.run = run;
    this.kind = kind;
    this.outdatedLeft = outdatedLeft;
  }

  /** How many outdated targets may still be woken this tick. */
  get left(): number {
    return this.outdatedLeft;
  }

  async page(objects: readonly KubeObject[], listVersion: string): Promise<void> {
    for (let from = 0; from < objects.length; from += MAX_TARGETS_A_READ) {
      const some = objects.slice(from, from + MAX_TARGETS_A_READ);
      const states = await this.run.deps.store.readTargets(some.map((object) => this.targetOf(object)));
      const byUid = new Map(states.map((state) => [state.target.uid, state]));
      for (const object of some) await this.compare(object, byUid.get(object.metadata.uid), versionNumber(listVersion));
    }
  }

  private async compare(object: KubeObject, state: TargetState | undefined, listVersion: number | undefined) {
    const { findings, tick, incarnation, deps } = this.run;
    const verdict = this.run.scope.includes(object.metadata)
      ? this.judge(object, state, listVersion)
      : judgeUnselected(state);
    if (verdict === 'seen') return;
    if (verdict === 'outdated') this.outdatedLeft -= 1;
    const { resourceVersion } = object.metadata;
    const what = { cause: 'resync', tick, resourceVersion } as const;
    const event = skinnyEvent(this.targetOf(object), { incarnation, atMs: deps.clock.now() }, what);
    await findings.add(event, this.kind.id, verdict === 'unseen' ? `at ${resourceVersion}` : undefined);
  }

  private judge(object: KubeObject, state: TargetState | undefined, listVersion: number | undefined): Verdict {
    if (state === undefined) return 'unseen';
    if (isAboutToRun(state, this.run.deps.clock.now())) return 'seen';
    const listed = versionNumber(object.metadata.resourceVersion);
    const { observedVersion } = state;
    if (state.incarnation !== this.run.incarnation) return 'unseen';
    if (observedVersion === undefined ? listed !== undefined : isUnseen(observedVersion, listed, listVersion))
      return 'unseen';
    const version = this.run.deps.registry.controllerOf(this.kind.id)?.version;
    return state.reconcilerVersion !== version && this.outdatedLeft > 0 ? 'outdated' : 'seen';
  }

  private targetOf({ metadata: { uid, namespace = '', name } }: KubeObject): Target {
    return { cluster: this.run.deps.cluster, kind: this.kind.id, uid, namespace, name };
  }
}

/** An object that labels leave out concerns us only if it was a target until now. */
function judgeUnselected(state: TargetState | undefined): Verdict {
  return state === undefined || state.lastOutcome?.type === 'unmanaged' ? 'seen' : 'unseen';
}
