import type { Controller } from '../../core/controller.ts';
import { EvenkeelError, LeaseLostError } from '../../core/errors.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import { applyMergePatch, jsonEqual, mergePatchBetween } from '../../core/json-merge.ts';
import type { DesiredObject, JsonObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { ABSENT_VERSION, listKey, objectKey, versionNumber } from '../../core/observation.ts';
import type { DurableValues, Propagation, ReconcileContext } from '../../core/reconcile-context.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { Clock, Entropy } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { LeaseHold, StateStore, TargetState } from '../../ports/state-store.ts';
import type { EventNote, EventRecorder } from '../kube-events/event-recorder.ts';
import type { Registry } from '../registry.ts';
import { migrateToApply } from './managed-fields.ts';
import { OwnershipGuard } from './ownership-guard.ts';
import { PollRegister } from './poll-register.ts';
import { ReadTracker } from './read-tracker.ts';
import { applyWouldChangeNothing, isAsCreated } from './unchanged.ts';
import { undeclaredList } from './undeclared-list.ts';

const LIST_PAGE_SIZE = 500;
const MAX_VALUES_LENGTH = 4_096;

/**
 * A controller may begin calls together and end with the first that fails. Nobody awaits the others then, and a failure
 * that nobody awaits would end the process.
 */
function heard<Result>(call: Promise<Result>): Promise<Result> {
  call.catch(() => {});
  return call;
}

export interface PassContextOptions {
  readonly controller: Controller;
  readonly registry: Registry;
  readonly api: ClusterApi;
  readonly store: StateStore;
  readonly hold: LeaseHold;
  readonly last: TargetState;
  /** The incarnation this pass will commit under. */
  readonly incarnation: number;
  /** When the lease ends, by this worker's clock. */
  readonly leaseUntilMs: number;
  readonly mutationMarginMs: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/** One attempt's view of the cluster: every read leaves an edge first, every mutation is guarded and fenced. */
export class PassContext implements ReconcileContext {
  readonly cluster: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  readonly reads: ReadTracker;
  /** Write requests that this attempt sent to the API server. */
  writes = 0;
  values: DurableValues;
  /** The target as it was loaded, or as our own guarded write returned it. */
  target: KubeObject | undefined;
  readonly #options: PassContextOptions;
  readonly #objects = new Map<string, Promise<KubeObject | undefined>>();
  readonly #listings = new Map<string, Promise<KubeObject[]>>();
  readonly #polls: PollRegister;
  readonly #ownership: OwnershipGuard;

  constructor(options: PassContextOptions) {
    this.#options = options;
    this.cluster = options.hold.target.cluster;
    this.nowMs = options.clock.now();
    this.signal = options.signal;
    this.values = options.last.values;
    this.reads = new ReadTracker(options.store, options.hold, options.last);
    this.#polls = new PollRegister(options);
    this.#ownership = new OwnershipGuard(options.controller, options.hold.target);
  }

  get fieldManager(): string {
    return `evenkeel-${this.#options.controller.name}`;
  }

  random(): number {
    return this.#options.entropy.random();
  }

  get(
    type: ResourceType,
    name: ObjectName,
    options: { pollIntervalMs?: number } = {},
  ): Promise<KubeObject | undefined> {
    const key = objectKey(kindId(type), name);
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const read = this.#read(type, name, options.pollIntervalMs);
    this.#objects.set(key, read);
    return heard(read);
  }

  getAgain(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    const read = this.#read(type, name, this.#polls.intervalMs(kindId(type), name));
    this.#objects.set(objectKey(kindId(type), name), read);
    return heard(read);
  }

  list(type: ResourceType, options: { namespace: string; labelSelector?: string }): Promise<KubeObject[]> {
    const cacheKey = `${listKey(kindId(type), options.namespace)}?${options.labelSelector ?? ''}`;
    const known = this.#listings.get(cacheKey);
    if (known !== undefined) return known;
    const listing = this.#readList(type, options);
    this.#listings.set(cacheKey, listing);
    return heard(listing);
  }

  create(type: ResourceType, object: DesiredObject): Promise<KubeObject> {
    return heard(this.#create(type, object));
  }

  apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject> {
    return heard(this.#apply(type, observed, object));
  }

  mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject> {
    return heard(this.#mergePatch(type, observed, patch));
  }

  delete(type: ResourceType, observed: KubeObject, options: { propagation?: Propagation } = {}): Promise<void> {
    return heard(this.#delete(type, observed, options));
  }

  publishStatus(status: JsonObject): Promise<KubeObject> {
    return heard(this.#publishStatus(status));
  }

  saveValues(values: DurableValues): Promise<void> {
    return heard(this.#saveValues(values));
  }

  recordEvent(event: EventNote): Promise<void> {
    return heard(this.#recordEvent(event));
  }

  async #create(type: ResourceType, object: DesiredObject): Promise<KubeObject> {
    const name = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    await this.#assertReadEdge(type, name);
    this.assertLease();
    this.writes += 1;
    const created = await this.#options.api.create(type, this.#ownership.labelled(type, object), this.#writeOptions());
    this.#keep(type, name, ABSENT_VERSION, created);
    return created;
  }

  async #apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject> {
    this.#ownership.assertNotAnothers(type, observed);
    const desired = this.#ownership.labelled(type, object);
    if (applyWouldChangeNothing(observed, desired, this.fieldManager)) return observed;
    await this.#assertReadEdge(type, nameOf(observed));
    try {
      return await this.#applyNow(type, observed, desired);
    } catch (error) {
      // Often another controller writes the status right after a create. Nothing desired is missing, and that write, which
      // this pass does not cover, wakes the next pass: that one applies.
      if (isApiError(error, 'Conflict') && isAsCreated(observed, desired, this.fieldManager)) return observed;
      throw error;
    }
  }

  async #applyNow(type: ResourceType, observed: KubeObject, desired: DesiredObject): Promise<KubeObject> {
    const name = nameOf(observed);
    const based = await this.#migrated(type, observed);
    this.assertLease();
    this.writes += 1;
    const applied = await this.#options.api.patch(
      type,
      name,
      { type: 'apply', patch: withPreconditions(desired, based), force: true },
      this.#writeOptions(),
    );
    this.#keep(type, name, versionNumber(based.metadata.resourceVersion), applied);
    return applied;
  }

  async #mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject> {
    this.#ownership.assertNotAnothers(type, observed);
    if (jsonEqual(applyMergePatch(observed, patch), observed)) return observed;
    const name = nameOf(observed);
    await this.#assertReadEdge(type, name);
    this.assertLease();
    this.writes += 1;
    const { uid, resourceVersion } = observed.metadata;
    const guarded = applyMergePatch(patch, { metadata: { uid, resourceVersion } });
    const patched = await this.#options.api.patch(type, name, { type: 'merge', patch: guarded }, this.#writeOptions());
    this.#keep(type, name, versionNumber(resourceVersion), patched);
    return patched;
  }

  async #delete(type: ResourceType, observed: KubeObject, options: { propagation?: Propagation }): Promise<void> {
    this.#ownership.assertOwned(type, observed, this.target);
    const name = nameOf(observed);
    await this.#assertReadEdge(type, name);
    if (isBeingDeleted(observed, options.propagation)) return;
    this.assertLease();
    this.writes += 1;
    const { uid, resourceVersion } = observed.metadata;
    try {
      await this.#options.api.delete(type, name, {
        signal: this.signal,
        preconditions: { uid, resourceVersion },
        ...(options.propagation === undefined ? {} : { propagation: options.propagation }),
      });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    // Whether it is gone, or waits for finalizers, is for the next read to tell.
    this.#objects.delete(objectKey(kindId(type), name));
  }

  assertLease(): void {
    this.signal.throwIfAborted();
    const leftMs = this.#options.leaseUntilMs - this.#options.clock.now();
    if (leftMs < this.#options.mutationMarginMs) {
      throw new LeaseLostError(`${leftMs} ms of the lease are left, too little to change anything`, { leftMs });
    }
  }

  async #publishStatus(status: JsonObject): Promise<KubeObject> {
    const target = this.target;
    if (target === undefined) throw new EvenkeelError('NO_TARGET', 'a status needs a target that was loaded');
    if (jsonEqual(target.status, status)) return target;
    this.assertLease();
    this.writes += 1;
    const { uid, resourceVersion } = target.metadata;
    const patch = { metadata: { uid, resourceVersion }, status: mergePatchBetween(target.status, status) ?? {} };
    this.target = await this.#options.api.patch(
      this.#options.controller.type,
      nameOf(target),
      { type: 'merge', patch },
      { ...this.#writeOptions(), subresource: 'status' },
    );
    return this.target;
  }

  async #saveValues(values: DurableValues): Promise<void> {
    this.signal.throwIfAborted();
    if (JSON.stringify(values).length > MAX_VALUES_LENGTH) {
      throw new EvenkeelError(
        'VALUES_TOO_LARGE',
        `${this.#options.controller.name}: durable values may take 4 KB together`,
      );
    }
    if (jsonEqual(values, this.values)) return;
    if (!(await this.#options.store.saveValues(this.#options.hold, values))) {
      throw new LeaseLostError('the lease was taken over before the values could be saved');
    }
    this.values = values;
  }

  async #recordEvent(event: EventNote): Promise<void> {
    if (this.target === undefined) throw new EvenkeelError('NO_TARGET', 'an event needs a target that was loaded');
    this.assertLease();
    this.writes += 1;
    await this.#options.events.record(this.#options.api, this.target, event, this.signal);
  }

  /** Call it before the commit. */
  async touchPolls(): Promise<void> {
    await this.#polls.touch(this.reads);
  }

  async #read(
    type: ResourceType,
    name: ObjectName,
    pollIntervalMs: number | undefined,
  ): Promise<KubeObject | undefined> {
    this.signal.throwIfAborted();
    const kind = kindId(type);
    const declared = this.#declared(type);
    const key = objectKey(kind, name);
    await this.reads.assertEdge(key);
    if (declared.mode === 'poll') this.#polls.add(kind, name, pollIntervalMs ?? declared.pollIntervalMs);
    const object = await this.#getLive(type, name);
    this.reads.recordRead(kind, name, object);
    const isUnlabelled = object !== undefined && object.metadata.labels?.[MANAGED_BY_LABEL] !== MANAGED_BY_VALUE;
    if (declared.mode === 'watch-labelled' && isUnlabelled)
      this.#polls.add(kind, name, pollIntervalMs ?? declared.pollIntervalMs);
    return object;
  }

  async #getLive(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    try {
      return await this.#options.api.get(type, name, { signal: this.signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #readList(type: ResourceType, options: { namespace: string; labelSelector?: string }): Promise<KubeObject[]> {
    this.signal.throwIfAborted();
    const kind = kindId(type);
    const declared = this.#declared(type);
    const fault = undeclaredList(declared, options);
    if (fault !== undefined) throw new EvenkeelError('UNDECLARED_READ', `${this.#options.controller.name} ${fault}`);
    await this.reads.assertEdge(listKey(kind, options.namespace));
    const listing = this.reads.beginList(kind, options.namespace);
    const items: KubeObject[] = [];
    let continueToken: string | undefined;
    do {
      const page = await this.#options.api.list(type, {
        signal: this.signal,
        namespace: options.namespace,
        limit: LIST_PAGE_SIZE,
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
        ...(continueToken === undefined ? {} : { continueToken }),
      });
      items.push(...page.items);
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
    this.reads.recordList(listing, items);
    return items;
  }

  #declared(type: ResourceType) {
    const { controller, registry } = this.#options;
    const declared = registry.readKind(controller, kindId(type));
    if (declared === undefined) {
      throw new EvenkeelError(
        'UNDECLARED_READ',
        `${controller.name} reads ${kindId(type)}, which its definition names neither in owns nor in reads: its changes would wake nobody`,
      );
    }
    return declared;
  }

  async #assertReadEdge(type: ResourceType, name: ObjectName): Promise<void> {
    this.signal.throwIfAborted();
    this.#declared(type);
    if (!this.reads.hasRead(kindId(type), name)) await this.reads.assertEdge(objectKey(kindId(type), name));
  }

  #keep(type: ResourceType, name: ObjectName, basedOn: number | undefined, written: KubeObject): void {
    const kind = kindId(type);
    this.reads.recordWrite(kind, name, basedOn, written);
    this.#objects.set(objectKey(kind, name), Promise.resolve(written));
  }

  /** A create leaves an `Update` entry, whose fields an apply would never prune: it becomes an `Apply` entry first. */
  async #migrated(type: ResourceType, observed: KubeObject): Promise<KubeObject> {
    const patch = migrateToApply(observed, this.fieldManager);
    if (patch === undefined) return observed;
    this.assertLease();
    this.writes += 1;
    const name = nameOf(observed);
    const migrated = await this.#options.api.patch(type, name, { type: 'json', patch }, this.#writeOptions());
    this.#keep(type, name, versionNumber(observed.metadata.resourceVersion), migrated);
    return migrated;
  }

  #writeOptions() {
    return { signal: this.signal, fieldManager: this.fieldManager };
  }
}

function nameOf(object: KubeObject): ObjectName {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** Another request would change nothing: the object waits for its finalizers. */
function isBeingDeleted({ metadata }: KubeObject, propagation: Propagation | undefined): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const has = (finalizer: string) => metadata.finalizers?.includes(finalizer) ?? false;
  switch (propagation) {
    case undefined:
      return true;
    case 'Background':
      return !has('foregroundDeletion') && !has('orphan');
    case 'Foreground':
      return has('foregroundDeletion');
    case 'Orphan':
      return has('orphan');
  }
}

function withPreconditions(desired: DesiredObject, observed: KubeObject): DesiredObject {
  const { uid, resourceVersion } = observed.metadata;
  return { ...desired, metadata: { ...desired.metadata, uid, resourceVersion } };
}
