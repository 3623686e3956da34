import type { Controller } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import type { DeleteOptions } from '../../../ports/cluster-api.ts';
import type { ClusterMirror } from '../cluster-mirror.ts';
import type { ObservedCall } from '../process.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import { type Attempt, describeTarget } from './pass-record.ts';
import type { Report } from './violation.ts';

/** The annotation with the owner's UID, used when an owner reference is impossible. */
const OWNER_UID = 'evenkeel.dev/owner-uid';

/** I7: no delete follows a failed read. Each delete has the UID as precondition, and its object is owned. */
export class Deletions implements Invariant {
  readonly #report: Report;
  readonly #cluster: ClusterMirror;
  readonly #controllers: readonly Controller[];

  constructor(report: Report, cluster: ClusterMirror, controllers: readonly Controller[]) {
    this.#report = report;
    this.#cluster = cluster;
    this.#controllers = controllers;
  }

  calling(call: ObservedCall, { pass, failedReads, pages }: Attempt): void {
    if (call.method !== 'delete') return;
    const [type, { namespace, name }, { preconditions }] = call.args as [
      ResourceType,
      { namespace: string; name: string },
      Partial<DeleteOptions>,
    ];
    const about = `${describeTarget(pass.target)} deletes ${kindId(type)} ${namespace}/${name}`;
    if (preconditions?.uid === undefined) this.#report('I7', `${about} without a UID as precondition`);
    if (failedReads > 0) this.#report('I7', `${about} after a failed observation`);
    if (pages.size > 0) this.#report('I7', `${about} after an incomplete list`);
  }

  wrote({ call, kind, namespace, name, before }: ObjectWrite, attempt: Attempt | undefined): void {
    if (call.method !== 'delete' || before === undefined) return;
    const about = `${kind} ${namespace}/${name}`;
    if (attempt === undefined) {
      this.#report('I7', `${call.process.name} deletes ${about} outside of a pass`);
      return;
    }
    const { target } = attempt.pass;
    const controller = this.#controllers.find(({ type }) => kindId(type) === target.kind);
    const owner = this.#cluster.find(target.kind, target);
    const owned =
      controller?.isOwned === undefined || owner === undefined
        ? isOwnedBy(before, target.uid)
        : controller.isOwned(before, owner);
    if (!owned) this.#report('I7', `${describeTarget(target)} deletes ${about}, which it does not own`);
  }
}

function isOwnedBy({ metadata }: KubeObject, uid: string): boolean {
  const references = metadata.ownerReferences ?? [];
  if (references.length === 0) return metadata.annotations?.[OWNER_UID] === uid;
  return references.some((reference) => reference.controller === true && reference.uid === uid);
}
