import { withForeignConditions } from '../../core/condition-owners.ts';
import type { Controller } from '../../core/controller.ts';
import { EvenkeelError, LeaseLostError } from '../../core/errors.ts';
import { fieldManagerOf } from '../../core/field-manager.ts';
import { applyMergePatch, equalButForNulls, jsonEqual, mergePatchBetween } from '../../core/json-merge.ts';
import type { DesiredObject, JsonObject, JsonValue, KubeObject } from '../../core/kube-object.ts';
import { ABSENT_VERSION, objectKey, versionNumber } from '../../core/observation.ts';
import type { PassWrite, WriteVerb } from '../../core/pass-history.ts';
import type { Propagation } from '../../core/reconcile-context.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { LeaseHold, TargetState } from '../../ports/state-store.ts';
import type { EventNote } from '../kube-events/event-note.ts';
import type { EventRecorder } from '../kube-events/event-recorder.ts';
import type { ConditionRecord } from './condition-record.ts';
import { withoutStringData } from './desired-data.ts';
import type { LiveReader } from './live-reader.ts';
import { migrateToApply } from './managed-fields.ts';
import { isTakenUp, ownedState } from './owned-state.ts';
import { OwnershipGuard } from './ownership-guard.ts';
import { applyWouldChangeNothing, isAsCreated, ownEntries, wantedOf } from './unchanged.ts';
import { WriteMemory, type Written } from './write-memory.ts';
import { identityOf, isBeingDeleted, isSameSpec, nameOf, patchedAs } from './written-object.ts';

const DAY_MS = 86_400_000;
/** More than fit into an object's history. */
const MAX_NOTED_WRITES = 8;
const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

export interface GuardedWriterOptions {
  readonly controller: Controller;
  readonly api: ClusterApi;
  readonly hold: LeaseHold;
  /** The item that the acquire returned or, for a further attempt, the renewal. */
  readonly last: TargetState;
  /** When the lease ends, on this process's monotonic clock. */
  readonly leaseEndsMonotonicMs: number;
  readonly mutationMarginMs: number;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
  readonly conditions: ConditionRecord;
}

/**
 * The writes of one attempt to the API server. Each write is skipped when nothing would change, checks that the lease
 * is still ours with margin, and has the UID and resourceVersion of the read as preconditions. A write of another
 * object than the target stores an edge first.
 */
export class GuardedWriter {
  /** The number of write requests that this attempt sent to the API server. */
  writes = 0;
  /** The first of them, for the object's history. */
  readonly written: PassWrite[] = [];
  /** The target as it was loaded, or as our own guarded write returned it. */
  target: KubeObject | undefined;
  /**
   * The state of the target that the commit records as observed: the present one, or the one before this attempt
   * changed the spec.
   */
  observed: KubeObject | undefined;
  readonly memory: WriteMemory;
  readonly #options: GuardedWriterOptions;
  readonly #reader: LiveReader;
  readonly #ownership: OwnershipGuard;

  constructor(options: GuardedWriterOptions, reader: LiveReader) {
    this.#options = options;
    this.#reader = reader;
    this.#ownership = new OwnershipGuard(options.controller, options.hold.target);
    this.memory = new WriteMemory(options.last.rememberedWrites);
  }

  assertLease(): void {
    const { leaseEndsMonotonicMs, mutationMarginMs, clock, signal } = this.#options;
    signal.throwIfAborted();
    const leftMs = Math.floor(leaseEndsMonotonicMs - clock.monotonic());
    if (leftMs < mutationMarginMs) {
      throw new LeaseLostError(`${leftMs} ms of the lease are left, too little to change anything`, { leftMs });
    }
  }

  async create(type: ResourceType, object: DesiredObject): Promise<KubeObject> {
    const name = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    await this.#reader.assertEdge(type, name);
    const desired = this.#desired(type, object);
    this.#beginWrite('create', type, desired);
    const created = await this.#options.api.create(type, desired, this.#writeOptions());
    this.#reader.keep(type, name, ABSENT_VERSION, created);
    this.#rememberApplied(type, created, desired);
    return created;
  }

  async apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject> {
    this.#ownership.assertNotAnothers(type, observed);
    const desired = this.#desired(type, object);
    if (applyWouldChangeNothing(observed, desired, this.#fieldManager)) return observed;
    if (this.memory.isAsWritten(this.#applied(type, observed, desired))) return observed;
    await this.#reader.assertEdge(type, nameOf(observed));
    try {
      return await this.#applyNow(type, observed, desired);
    } catch (error) {
      // Often another controller writes the status right after a create. Nothing desired is missing. This pass does not
      // cover that write, so the write starts the next pass, which applies.
      if (isApiError(error, 'Conflict') && isAsCreated(observed, desired, this.#fieldManager)) return observed;
      throw error;
    }
  }

  async mergePatch(type: ResourceType, observed: KubeObject, given: JsonObject): Promise<KubeObject> {
    this.#ownership.assertNotAnothers(type, observed);
    const patch = withoutStringData(type, given);
    if (jsonEqual(applyMergePatch(observed, patch), observed)) return observed;
    if (this.memory.isAsWritten(patchedAs(type, observed, patch))) return observed;
    const name = nameOf(observed);
    await this.#reader.assertEdge(type, name);
    this.#beginWrite('patch', type, patch);
    const { uid, resourceVersion } = observed.metadata;
    const guarded = applyMergePatch(patch, { metadata: { uid, resourceVersion } });
    const patched = await this.#options.api.patch(type, name, { type: 'merge', patch: guarded }, this.#writeOptions());
    this.#keep(type, observed, patched);
    const differs = !jsonEqual(applyMergePatch(patched, patch), patched);
    if (differs && isTakenUp(patched, patch)) this.memory.remember(patchedAs(type, patched, patch));
    return patched;
  }

  async delete(type: ResourceType, observed: KubeObject, options: { propagation?: Propagation }): Promise<void> {
    this.#ownership.assertOwned(type, observed, this.target);
    const name = nameOf(observed);
    await this.#reader.assertEdge(type, name);
    if (isBeingDeleted(observed, options.propagation)) return;
    this.#beginWrite('delete', type);
    const { uid, resourceVersion } = observed.metadata;
    try {
      await this.#options.api.delete(type, name, {
        signal: this.#options.signal,
        beforeSend: this.#beforeSend,
        preconditions: { uid, resourceVersion },
        ...(options.propagation === undefined ? {} : { propagation: options.propagation }),
      });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    // It may still be waiting for finalizers; the next read shows.
    this.#reader.forget(type, name);
    this.memory.drop(objectKey(kindId(type), name));
  }

  /** Conditions of others stay on the target. @returns the target itself when nothing would change. */
  async publishStatus(wanted: JsonObject): Promise<KubeObject> {
    const target = this.target;
    if (target === undefined) throw new EvenkeelError('NO_TARGET', 'a status needs a target that was loaded');
    const status = withForeignConditions(target.status, wanted, this.#options.conditions.owned);
    if (equalButForNulls(target.status, status)) return target;
    if (this.memory.isAsWritten(this.#published(target, status))) return target;
    const changed = mergePatchBetween(target.status, status) ?? {};
    this.#beginWrite('status', undefined, changed as JsonObject);
    const { uid, resourceVersion } = target.metadata;
    const patch = { metadata: { uid, resourceVersion }, status: changed };
    const { api, controller } = this.#options;
    const published = await api.patch(
      controller.type,
      nameOf(target),
      { type: 'merge', patch },
      { ...this.#writeOptions(), subresource: 'status' },
    );
    this.#keep(controller.type, target, published);
    this.#options.conditions.wrote(target.status, status);
    if (!equalButForNulls(published.status, status)) this.memory.remember(this.#published(published, status));
    return published;
  }

  /** @param patch a JSON patch of the target with guards for `observed`. */
  async patchFinalizers(observed: KubeObject, patch: JsonValue[]): Promise<void> {
    const { api, controller, hold } = this.#options;
    this.#beginWrite('finalizers');
    const patched = await api.patch(controller.type, hold.target, { type: 'json', patch }, this.#writeOptions());
    this.#keep(controller.type, observed, patched);
  }

  async recordEvent(note: EventNote): Promise<void> {
    if (this.target === undefined) throw new EvenkeelError('NO_TARGET', 'an event needs a target that was loaded');
    this.#beginWrite('event');
    await this.#options.events.record(this.#options.api, this.target, note, this.#options.signal);
  }

  async #applyNow(type: ResourceType, observed: KubeObject, desired: DesiredObject): Promise<KubeObject> {
    const name = nameOf(observed);
    const based = await this.#migrated(type, observed);
    this.#beginWrite('apply', type, desired);
    const applied = await this.#options.api.patch(
      type,
      name,
      { type: 'apply', patch: withPreconditions(desired, based), force: true },
      this.#writeOptions(),
    );
    this.#keep(type, based, applied);
    this.#rememberApplied(type, applied, desired);
    return applied;
  }

  /** Fields of a status that the schema drops are sent once a day, because a newer schema may accept them. */
  #published(object: KubeObject, status: JsonObject): Written {
    const { controller, clock } = this.#options;
    const day = isTakenUp(object.status, status) ? undefined : Math.floor(clock.now() / DAY_MS);
    return {
      verb: 'status',
      ...identityOf(controller.type, object),
      content: { status, day },
      state: object.status,
    };
  }

  #desired(type: ResourceType, object: DesiredObject): DesiredObject {
    return withoutStringData(type, this.#ownership.labelled(type, object));
  }

  /**
   * Remembers a write only when the comparison alone would send it again. Fields that the API server dropped are sent
   * until it knows them.
   */
  #rememberApplied(type: ResourceType, written: KubeObject, desired: DesiredObject): void {
    if (applyWouldChangeNothing(written, desired, this.#fieldManager) || !isTakenUp(written, wantedOf(desired))) return;
    this.memory.remember(this.#applied(type, written, desired));
  }

  #applied(type: ResourceType, object: KubeObject, desired: DesiredObject): Written {
    const own = ownEntries(object, this.#fieldManager);
    const trees = own.map(({ fieldsV1 }) => fieldsV1 ?? {});
    const owned = own.map(({ operation, fieldsV1 }) => [operation, fieldsV1]);
    const state = { owned, object: ownedState(object, wantedOf(desired), trees) };
    return { verb: 'apply', ...identityOf(type, object), content: desired, state };
  }

  /**
   * A create leaves an `Update` entry, and an apply would never prune its fields. So the entry is first changed to
   * `Apply`.
   */
  async #migrated(type: ResourceType, observed: KubeObject): Promise<KubeObject> {
    const patch = migrateToApply(observed, this.#fieldManager);
    if (patch === undefined) return observed;
    this.#beginWrite('patch', type, { metadata: {} });
    const name = nameOf(observed);
    const migrated = await this.#options.api.patch(type, name, { type: 'json', patch }, this.#writeOptions());
    this.#keep(type, observed, migrated);
    return migrated;
  }

  /**
   * Called after a write that had the UID and resourceVersion of `basedOn` as preconditions. The answer of the server
   * is used for later reads. If `basedOn` was the target as this attempt knows it, the answer becomes the target: its
   * version is observed, and guards the next write. Otherwise there is, or may be, a foreign change that was not
   * loaded. A spec that this attempt changed was not reconciled yet; the event of that write starts a pass that does
   * it.
   */
  #keep(type: ResourceType, basedOn: KubeObject, written: KubeObject): void {
    const { uid, resourceVersion } = basedOn.metadata;
    this.#reader.keep(type, nameOf(basedOn), versionNumber(resourceVersion), written);
    if (this.target === undefined || kindId(type) !== this.#options.hold.target.kind) return;
    const known = this.target.metadata;
    if (uid !== known.uid || resourceVersion === undefined || resourceVersion !== known.resourceVersion) return;
    if (this.observed === this.target && isSameSpec(this.target, written)) this.observed = written;
    this.target = written;
  }

  /** Checks the lease when the request is sent, because the request may have waited for a long time. */
  readonly #beforeSend = (): void => this.assertLease();

  #beginWrite(verb: WriteVerb, type?: ResourceType, sent: object = {}): void {
    this.assertLease();
    this.writes += 1;
    if (this.written.length >= MAX_NOTED_WRITES) return;
    const fields = Object.keys(sent).filter((field) => !TYPE_FIELDS.has(field));
    this.written.push({ verb, kind: type === undefined ? '' : kindId(type), fields });
  }

  get #fieldManager(): string {
    return fieldManagerOf(this.#options.controller.name);
  }

  #writeOptions() {
    return { signal: this.#options.signal, beforeSend: this.#beforeSend, fieldManager: this.#fieldManager };
  }
}

function withPreconditions(desired: DesiredObject, observed: KubeObject): DesiredObject {
  const { uid, resourceVersion } = observed.metadata;
  return { ...desired, metadata: { ...desired.metadata, uid, resourceVersion } };
}
