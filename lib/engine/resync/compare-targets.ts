import { versionNumber } from '../../core/observation.ts';
import type { Target } from '../../core/target.ts';
import type { TargetState } from '../../ports/state-store.ts';
import { positionOf } from '../fanout/edge-cursor.ts';
import { skinnyEvent } from '../fanout/wakeup.ts';
import { isAboutToRun, isUnseen } from './is-unseen.ts';
import type { KindList, ListedTarget } from './kind-list.ts';
import type { ResyncTick } from './resync-tick.ts';

type Comparison = 'seen' | 'unseen' | 'outdated';

/** Compares listed targets of one kind with their items, which are read after the list was. */
export class TargetComparison {
  readonly #run: ResyncTick;
  readonly #list: KindList;
  readonly #known = new Set<string>();
  #outdatedLeft: number;

  constructor(run: ResyncTick, list: KindList, outdatedLeft: number) {
    this.#run = run;
    this.#list = list;
    this.#outdatedLeft = outdatedLeft;
  }

  /** How many outdated targets may still get an event in this tick. */
  get left(): number {
    return this.#outdatedLeft;
  }

  /**
   * Compares one item of the inventory.
   * @returns whether the target got an event.
   */
  async item(state: TargetState): Promise<boolean> {
    const { uid } = state.target;
    const listed = this.#list.target(uid);
    if (listed === undefined) return false;
    this.#known.add(uid);
    const comparison = listed.selected ? this.#compare(listed, state) : compareUnselected(state);
    if (comparison === 'seen') return false;
    if (comparison === 'outdated') this.#outdatedLeft -= 1;
    await this.#report(uid, listed, comparison);
    return true;
  }

  /** Marks a target whose item cannot be read as known. */
  skip(uid: string): void {
    this.#known.add(uid);
  }

  /** Runs after the whole inventory, for the listed targets that it lacks. */
  async unknown(): Promise<void> {
    for (const [uid, listed] of this.#list.allTargets()) {
      if (listed.selected && !this.#known.has(uid)) await this.#report(uid, listed, 'unseen');
    }
  }

  async #report(uid: string, { position, resourceVersion }: ListedTarget, comparison: Comparison): Promise<void> {
    const { differences, tick, incarnation, deps } = this.#run;
    const [namespace = '', name = ''] = position.split('/');
    const kind = this.#list.kind.id;
    const target: Target = { cluster: deps.cluster, kind, uid, namespace, name };
    const what = { cause: 'resync', tick, resourceVersion } as const;
    const event = skinnyEvent(target, { incarnation, atMs: deps.clock.now() }, what);
    await differences.add(event, kind, comparison === 'unseen' ? `at ${resourceVersion}` : undefined);
  }

  #compare(target: ListedTarget, state: TargetState): Comparison {
    // A pass would find no object at the recorded address, however soon it runs. This event corrects the address.
    if (positionOf(state.target) !== target.position) return 'unseen';
    if (isAboutToRun(state, this.#run.deps.clock.now(), this.#run.options.lease)) return 'seen';
    const listed = versionNumber(target.resourceVersion);
    const { observedVersion } = state;
    if (state.incarnation !== this.#run.incarnation) return 'unseen';
    const listVersion = this.#list.listVersion(state.target.namespace);
    if (observedVersion === undefined ? listed !== undefined : isUnseen(observedVersion, listed, listVersion)) {
      return 'unseen';
    }
    return this.#isOutdated(target, state) && this.#outdatedLeft > 0 ? 'outdated' : 'seen';
  }

  /** Whether a pass would now have another result for an object that did not change. */
  #isOutdated({ version }: ListedTarget, { reconcilerVersion, lastOutcome }: TargetState): boolean {
    const { registry } = this.#run.deps;
    const { id } = this.#list.kind;
    const controller = version === 'next' ? registry.rolloutOf(id)?.next : registry.controllerOf(id);
    // A former selector left the object out, and the present one selects it.
    if (lastOutcome?.type === 'unmanaged' && controller?.onlyManaged !== true) return true;
    return version !== 'any' && reconcilerVersion !== controller?.version;
  }
}

/** An object that its labels leave out matters only if it was a target until now. */
function compareUnselected(state: TargetState): Comparison {
  return state.lastOutcome?.type === 'unmanaged' ? 'seen' : 'unseen';
}
