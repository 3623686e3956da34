import type { ReadKind } from '../../core/controller.ts';
import { EvenkeelError, TerminalError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';
import type { DurableValues, ReconcileContext } from '../../core/reconcile-context.ts';
import { apiVersion, kindId, type ResourceType } from '../../core/resource-type.ts';
import { ensureOwned, type Ownership, ownedByAnnotation, ownedByReference, removeOwned } from '../ensure-owned.ts';
import type { DesiredOf, ObjectOf } from '../kind/typed-kind.ts';
import { isExclusivelyOwned } from '../owner-references.ts';
import { type AddressedObject, addressOf } from './address.ts';
import { ExternalError } from './external-error.ts';
import type { KindContext, NameOrAddress } from './kind-context.ts';

const OUR_LABEL = `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;

export interface AuthorContextOptions {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly owns: readonly ResourceType[];
  readonly reads: readonly (ResourceType | ReadKind)[];
  /** Whether the controller has a `finalize`. */
  readonly finalizes: boolean;
  readonly engine: ReconcileContext;
}

/** The context of one attempt, in the form that a controller of `defineController` gets. */
export class AuthorContext implements KindContext {
  readonly engine: ReconcileContext;
  /** Owned objects that still exist although `absent` was called for them, each as `deployments.apps default/web`. */
  readonly pending: string[] = [];
  /** Calls without success: they failed, were not confirmed, or still run. An author may have caught the error. */
  readonly #unconfirmed = new Set<{ readonly name: string }>();
  readonly #options: AuthorContextOptions;

  constructor(options: AuthorContextOptions) {
    this.engine = options.engine;
    this.#options = options;
  }

  /** The calls that started and were not confirmed, each as `DNS` or `ConfigMap web`. */
  get unconfirmed(): string[] {
    return [...new Set([...this.#unconfirmed].map(({ name }) => name))];
  }

  get cluster(): string {
    return this.engine.cluster;
  }

  get nowMs(): number {
    return this.engine.nowMs;
  }

  get signal(): AbortSignal {
    return this.engine.signal;
  }

  get values(): DurableValues {
    return this.engine.values;
  }

  random(): number {
    return this.engine.random();
  }

  saveValues(values: DurableValues): Promise<void> {
    return this.engine.saveValues(values);
  }

  recordEvent(event: Parameters<ReconcileContext['recordEvent']>[0]): Promise<void> {
    return this.engine.recordEvent(event);
  }

  async get<Type extends ResourceType>(type: Type, name: NameOrAddress): Promise<ObjectOf<Type> | undefined> {
    return (await this.engine.get(type, this.#address(type, name))) as ObjectOf<Type> | undefined;
  }

  async list<Type extends ResourceType>(
    type: Type,
    { namespace, labelSelector }: { readonly namespace?: string; readonly labelSelector?: string } = {},
  ): Promise<ObjectOf<Type>[]> {
    const ours = this.#owns(type) && !this.#reads(type) ? [OUR_LABEL] : [];
    const selectors = [...(labelSelector === undefined ? [] : [labelSelector]), ...ours];
    const found = await this.engine.list(type, {
      namespace: type.namespaced ? (namespace ?? this.#options.object.metadata.namespace ?? '') : '',
      ...(selectors.length > 0 && { labelSelector: selectors.join(',') }),
    });
    return found as ObjectOf<Type>[];
  }

  async ensure<Type extends ResourceType>(
    type: Type,
    name: NameOrAddress,
    desired: DesiredOf<Type>,
  ): Promise<ObjectOf<Type>> {
    this.#assertOwns(type, 'ensures');
    const address = this.#address(type, name);
    const { metadata, ...content } = desired as { metadata?: Record<string, unknown> };
    const object = {
      ...content,
      apiVersion: apiVersion(type),
      kind: type.kind,
      metadata: { ...metadata, name: address.name, ...(type.namespaced && { namespace: address.namespace }) },
    } as DesiredObject;
    const ownership = this.#ownership(type, address);
    if (ownership.isElsewhere) this.#assertFinalizes(type, address);
    const rules = { ownership, mayCreate: true, adopt: false };
    const ensured = await ensureOwned(this.engine, { type, object }, rules);
    if (ensured.type === 'present') return ensured.object as ObjectOf<Type>;
    if (ensured.type === 'terminating') {
      throw new EvenkeelError(
        'BEING_DELETED',
        `${textOf(type, address)} is still being deleted; it is created again then`,
      );
    }
    throw new TerminalError(
      'OwnershipConflict',
      `${type.kind} ${address.name} exists and is not owned by this object. It stays as it is: rename or delete it.`,
    );
  }

  async absent(type: ResourceType, name: NameOrAddress): Promise<boolean> {
    return await this.#untilConfirmed(`${type.kind} ${typeof name === 'string' ? name : name.name}`, async () => {
      this.#assertOwns(type, 'removes');
      const address = this.#address(type, name);
      const removed = await removeOwned(this.engine, type, address, { ownership: this.#ownership(type, address) });
      if (removed.type !== 'pending') return true;
      this.pending.push(textOf(type, address));
      return false;
    });
  }

  /**
   * Removes the owned objects that are left after the author's own cleanup, because the garbage collector would run
   * later than the removal of the finalizer. For a cluster-scoped owner, it finds only cluster-scoped objects.
   */
  async absentOwned(): Promise<void> {
    const { object, owns, type: ownerType } = this.#options;
    for (const type of owns.filter(({ namespaced }) => !namespaced || ownerType.namespaced)) {
      for (const found of await this.list(type, { labelSelector: OUR_LABEL })) {
        if (!isExclusivelyOwned(found, ownerType, object)) continue;
        await this.absent(type, { namespace: found.metadata.namespace ?? '', name: found.metadata.name });
      }
    }
  }

  async external<Result>(
    name: string,
    call: (signal: AbortSignal) => Promise<Result>,
    {
      timeoutMs,
      confirm,
    }: { readonly timeoutMs: number; readonly confirm?: (signal: AbortSignal) => Promise<boolean> },
  ): Promise<Result> {
    return await this.#untilConfirmed(name, async () => {
      this.engine.assertLease();
      const result = await this.#within(timeoutMs, call, `${name}: the call failed or took too long`);
      if (confirm === undefined) return result;
      const confirmed = await this.#within(timeoutMs, confirm, `${name}: reading the effect failed or took too long`);
      if (confirmed === true) return result;
      throw new ExternalError(`${name}: the effect is not confirmed yet`);
    });
  }

  /** Each call counts separately: a confirmed call does not confirm another call of the same name. */
  async #untilConfirmed<Result>(name: string, effect: () => Promise<Result>): Promise<Result> {
    const begun = { name };
    this.#unconfirmed.add(begun);
    const result = await effect();
    this.#unconfirmed.delete(begun);
    return result;
  }

  /** The text of an external system may contain anything, so only the cause has it. */
  async #within<Result>(
    limitMs: number,
    call: (signal: AbortSignal) => Promise<Result>,
    failed: string,
  ): Promise<Result> {
    try {
      return await this.engine.within(limitMs, async (signal) => await call(signal));
    } catch (error) {
      this.signal.throwIfAborted();
      throw new ExternalError(failed, error);
    }
  }

  /** An owner reference cannot name an owner in another namespace. */
  #ownership(type: ResourceType, { namespace }: AddressedObject): Ownership & { readonly isElsewhere: boolean } {
    const { type: ownerType, object } = this.#options;
    const own = object.metadata.namespace;
    const isElsewhere = type.namespaced && own !== undefined && own !== namespace;
    return { isElsewhere, ...(isElsewhere ? ownedByAnnotation(object) : ownedByReference(ownerType, object)) };
  }

  /** The garbage collector does not remove objects whose owner is in another namespace. */
  #assertFinalizes(type: ResourceType, address: AddressedObject): void {
    if (this.#options.finalizes) return;
    const what = `the controller ensures ${textOf(type, address)}, which is in another namespace than its owner`;
    throw new EvenkeelError(
      'NO_FINALIZE',
      `${what}, so that it would be left when the owner is deleted: write finalize, and remove it there by context.absent`,
    );
  }

  /** Whether the kind is declared in `reads` as one of which all objects are watched or polled. */
  #reads(type: ResourceType): boolean {
    return this.#options.reads.some((read) => {
      const { type: declared, mode } = 'mode' in read ? read : { type: read, mode: 'watch' };
      return mode !== 'watch-labelled' && kindId(declared) === kindId(type);
    });
  }

  #owns(type: ResourceType): boolean {
    return this.#options.owns.some((owned) => kindId(owned) === kindId(type));
  }

  #assertOwns(type: ResourceType, what: string): void {
    if (this.#owns(type)) return;
    throw new EvenkeelError('UNDECLARED_KIND', `the controller ${what} ${kindId(type)}: declare that kind in its owns`);
  }

  #address(type: ResourceType, name: NameOrAddress): AddressedObject {
    return addressOf(type, name, this.#options.object);
  }
}

function textOf(type: ResourceType, { namespace, name }: AddressedObject): string {
  return `${type.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}
