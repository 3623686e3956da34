import type { Controller } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId } from '../../../core/resource-type.ts';
import { type Bounds, isPaused } from '../bounds.ts';
import type { ClusterMirror } from '../cluster-mirror.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant } from './invariant.ts';
import { type Attempt, describeTarget, type PassRecord } from './pass-record.ts';
import type { Report } from './violation.ts';

const MUTATIONS = new Set(['create', 'patch', 'delete']);

/**
 * I5, for objects that an installation must ignore: a pass that finds its target paused or left out writes nothing. An
 * object that never was in scope gets no pass, so nothing is stored about it.
 */
export class Untouched implements Invariant {
  readonly #report: Report;
  readonly #controllers: readonly Controller[];
  readonly #bounds: Bounds;
  /** Whether an object of a reconciled kind was in scope at any time, by UID. */
  readonly #wasInside = new Map<string, boolean>();

  constructor(report: Report, cluster: ClusterMirror, controllers: readonly Controller[], bounds: Bounds) {
    this.#report = report;
    this.#controllers = controllers;
    this.#bounds = bounds;
    cluster.onChange(({ kind, after }) => {
      const controller = this.#controllerOf(kind);
      if (after === undefined || controller === undefined) return;
      const { uid } = after.metadata;
      this.#wasInside.set(uid, this.#wasInside.get(uid) === true || !this.#leavesOut(after, controller));
    });
  }

  calling({ method, args }: ObservedCall, { pass, loaded }: Attempt): void {
    if (!MUTATIONS.has(method)) return;
    const { target } = pass;
    const controller = this.#controllerOf(target.kind);
    if (controller === undefined || loaded === undefined) return;
    const why = isPaused(loaded) ? 'paused' : this.#leavesOut(loaded, controller) ? 'left out' : undefined;
    if (why === undefined) return;
    const { plural } = args[0] as { plural: string };
    this.#report('I5', `${describeTarget(target)} is ${why}, and its pass sends a ${method} of ${plural}`);
  }

  acquired({ target, scope: { event } }: PassRecord): void {
    if (this.isNobodys(target.uid))
      this.#report('I5', `${describeTarget(target)} gets a pass (${event.cause}), and never was in scope`);
  }

  /** Whether an object that exists or existed was never in scope. */
  isNobodys(uid: string): boolean {
    return this.#wasInside.get(uid) === false;
  }

  #leavesOut(object: KubeObject, { onlyManaged = false }: Controller): boolean {
    return this.#bounds.leavesOut(object, onlyManaged);
  }

  #controllerOf(kind: string): Controller | undefined {
    return this.#controllers.find(({ type }) => kindId(type) === kind);
  }
}
