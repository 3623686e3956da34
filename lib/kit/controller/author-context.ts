import { EvenkeelError, TerminalError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';
import type { DurableValues, ReconcileContext } from '../../core/reconcile-context.ts';
import { apiVersion, kindId, type ResourceType } from '../../core/resource-type.ts';
import { ensureOwned, ownedByReference, removeOwned } from '../ensure-owned.ts';
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
  readonly engine: ReconcileContext;
}

/** The context of one attempt, as a controller of `defineController` sees it. */
export class AuthorContext implements KindContext {
  readonly engine: ReconcileContext;
  /** Owned objects that were to be absent and are still there, each as `deployments.apps default/web`. */
  readonly pending: string[] = [];
  /** Calls that have not ended well: they failed, were not confirmed, or still run. An author may have caught the error. */
  readonly #unconfirmed = new Set<{ readonly name: string }>();
  readonly #options: AuthorContextOptions;

  constructor(options: AuthorContextOptions) {
    this.engine = options.engine;
    this.#options = options;
  }

  /** The calls that began and were not confirmed, each as `DNS` or `ConfigMap web`. */
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
    const selectors = [labelSelector, this.#owns(type) ? OUR_LABEL : undefined].filter((each) => each !== undefined);
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
    const rules = { ownership: this.#ownership, mayCreate: true, adopt: false };
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
      const removed = await removeOwned(this.engine, type, address, { ownership: this.#ownership });
      if (removed.type !== 'pending') return true;
      this.pending.push(textOf(type, address));
      return false;
    });
  }

  /**
   * Removes what is left of the owned objects, after the author's own cleanup: the garbage collector would run later than the
   * finalizer goes. Objects of an owner in no namespace are found only where they are in none themselves.
   */
  async absentOwned(): Promise<void> {
    const { object, owns, type: ownerType } = this.#options;
    for (const type of owns.filter(({ namespaced }) => !namespaced || ownerType.namespaced)) {
      for (const found of await this.list(type)) {
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

  /** Each call counts by itself: one that is confirmed says nothing of another one of the same name. */
  async #untilConfirmed<Result>(name: string, effect: () => Promise<Result>): Promise<Result> {
    const begun = { name };
    this.#unconfirmed.add(begun);
    const result = await effect();
    this.#unconfirmed.delete(begun);
    return result;
  }

  /** An external system's text may contain anything: only the cause has it. */
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

  get #ownership() {
    return ownedByReference(this.#options.type, this.#options.object);
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
