import type { Controller } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId } from '../../../core/resource-type.ts';
import type { ClusterMirror } from '../cluster-mirror.ts';
import { isForged } from '../forgeries.ts';
import { type Seen, seenBy } from './evidence.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget } from './pass-record.ts';
import type { Report } from './violation.ts';

/**
 * Returns why the finalizer of a target must not be removed now: something is left elsewhere, or its removal was not
 * confirmed. Undefined when it may be removed.
 */
export type FinalizedRule = (target: KubeObject, seen: Seen) => string | undefined;

/**
 * I6: a finalizer is removed only after the same pass confirmed that every owned object that the policy deletes is
 * absent.
 */
export class Finalizers implements Invariant {
  readonly #report: Report;
  readonly #cluster: ClusterMirror;
  readonly #controllers: readonly Controller[];
  readonly #rules: readonly FinalizedRule[];

  constructor(
    report: Report,
    cluster: ClusterMirror,
    controllers: readonly Controller[],
    rules: readonly FinalizedRule[],
  ) {
    this.#report = report;
    this.#cluster = cluster;
    this.#controllers = controllers;
    this.#rules = rules;
  }

  wrote({ call, kind, namespace, name, before, after }: ObjectWrite, attempt: Attempt | undefined): void {
    if (call.method !== 'patch' || before === undefined) return;
    const controller = this.#controllers.find(({ type }) => kindId(type) === kind);
    const finalizer = controller?.finalizer;
    if (attempt?.pass.target.uid === before.metadata.uid && after !== undefined) {
      const left = after.metadata.finalizers ?? [];
      const others = (before.metadata.finalizers ?? []).filter((each) => each !== finalizer && !left.includes(each));
      if (others.length > 0)
        this.#report('I6', `${describeTarget(attempt.pass.target)} takes off ${others.join()}, which is another's`);
    }
    if (controller === undefined || finalizer === undefined) return;
    if (!before.metadata.finalizers?.includes(finalizer) || after?.metadata.finalizers?.includes(finalizer)) return;
    const about = `the finalizer of ${kind} ${namespace}/${name} goes`;
    if (attempt === undefined || attempt.pass.target.uid !== before.metadata.uid) {
      this.#report('I6', `${about}, and not by a pass of its own`);
      return;
    }
    if (before.metadata.deletionTimestamp === undefined)
      this.#report('I6', `${about}, and nobody has deleted the object`);
    for (const type of controller.owns) {
      for (const { metadata } of this.#cluster.list(type)) {
        if (isForged({ metadata })) continue;
        const owned = metadata.ownerReferences?.some(
          ({ uid, controller: main }) => main === true && uid === before.metadata.uid,
        );
        if (owned !== true) continue;
        const what = `${about}, and ${kindId(type)} ${metadata.name} is still there`;
        this.#report('I6', `${what}: delete it in finalize, and confirm by getAgain`);
      }
    }
    for (const rule of this.#rules) {
      const fault = rule(before, seenBy(attempt));
      if (fault !== undefined) this.#report('I6', `${about}: ${fault} (${describeTarget(attempt.pass.target)})`);
    }
  }
}
