import type { Controller } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import { controllerOwner, type DesiredObject, type KubeObject } from '../../core/kube-object.ts';
import { isOwnedBy } from '../../core/ownership.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { Target } from '../../core/target.ts';

/** Keeps a pass from deleting what its target does not own and from changing what another controller owns. */
export class OwnershipGuard {
  readonly #controller: Controller;
  readonly #target: Target;

  constructor(controller: Controller, target: Target) {
    this.#controller = controller;
    this.#target = target;
  }

  /**
   * @param owner the target as it was loaded.
   * @throws EvenkeelError NOT_OWNED unless it is proven that the target owns the object.
   */
  assertOwned(type: ResourceType, observed: KubeObject, owner: KubeObject | undefined): void {
    const { isOwned } = this.#controller;
    const owned: unknown =
      isOwned === undefined || owner === undefined
        ? isOwnedBy(observed, this.#target.uid)
        : isOwned.call(this.#controller, observed, owner);
    // Only `true` is a proof: a promise, which an async function returns, would otherwise count as true.
    if (owned === true) return;
    throw new EvenkeelError(
      'NOT_OWNED',
      `${describe(type, observed)} is not proven to be owned by ${this.#targetText}: it is not deleted`,
    );
  }

  /**
   * The controller decides whether an object without a controller may be changed. An object of another controller must
   * never be changed.
   * @throws EvenkeelError OWNED_BY_ANOTHER
   */
  assertNotAnothers(type: ResourceType, observed: KubeObject): void {
    const owner = controllerOwner(observed.metadata);
    if (owner === undefined || owner.uid === this.#target.uid || !this.#isOwnedKind(type)) return;
    throw new EvenkeelError(
      'OWNED_BY_ANOTHER',
      `${describe(type, observed)} is controlled by ${owner.kind} ${owner.name}: it is not changed for ${this.#targetText}`,
    );
  }

  /** Adds the label by which the relay watches owned kinds. */
  labelled(type: ResourceType, object: DesiredObject): DesiredObject {
    if (!this.#isOwnedKind(type)) return object;
    const labels = { ...object.metadata.labels, [MANAGED_BY_LABEL]: MANAGED_BY_VALUE };
    return { ...object, metadata: { ...object.metadata, labels } };
  }

  get #targetText(): string {
    const { kind, namespace, name } = this.#target;
    return `${kind} ${namespace}/${name}`;
  }

  #isOwnedKind(type: ResourceType): boolean {
    return this.#controller.owns.some((other) => kindId(other) === kindId(type));
  }
}

function describe(type: ResourceType, { metadata }: KubeObject): string {
  return `${kindId(type)} ${metadata.namespace ?? ''}/${metadata.name}`;
}
