import { EvenkeelError, LeaseLostError } from '../../core/errors.ts';
import { jsonEqual } from '../../core/json-merge.ts';
import type { DesiredObject, JsonObject, JsonValue, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { ABSENT_VERSION } from '../../core/observation.ts';
import type { PassWrite } from '../../core/pass-history.ts';
import type { DurableValues, Propagation, ReconcileContext } from '../../core/reconcile-context.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { Entropy } from '../../ports/clock.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { parseStatus } from '../author/parse-status.ts';
import type { EventNote, Transition } from '../kube-events/event-note.ts';
import { ConditionRecord } from './condition-record.ts';
import { GuardedWriter, type GuardedWriterOptions } from './guarded-writer.ts';
import { type ListOptions, LiveReader, type LiveReaderOptions } from './live-reader.ts';
import type { ReadTracker } from './read-tracker.ts';
import { withinLimit } from './time-limit.ts';

const MAX_VALUES_LENGTH = 4_096;

/**
 * A controller may start several calls and end with the first one that fails. Then nothing awaits the others, and a
 * failure that is not awaited would end the process.
 */
function heard<Result>(call: Promise<Result>): Promise<Result> {
  call.catch(() => {});
  return call;
}

export interface PassContextOptions extends LiveReaderOptions, Omit<GuardedWriterOptions, 'conditions'> {
  readonly store: StateStore;
  readonly entropy: Entropy;
}

/**
 * The view of the cluster for one attempt: every read stores a dependency first, and every write is guarded and fenced.
 */
export class PassContext implements ReconcileContext {
  readonly cluster: string;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  values: DurableValues;
  /** Whether the last pass of the target failed. */
  readonly failedBefore: boolean;
  /** The conditions of the target that belong to the controller. */
  readonly conditions: ConditionRecord;
  /** The transitions in the statuses that this attempt published. */
  readonly transitions: Transition[] = [];
  readonly #options: PassContextOptions;
  readonly #reader: LiveReader;
  readonly #writer: GuardedWriter;

  constructor(options: PassContextOptions) {
    this.#options = options;
    this.cluster = options.hold.target.cluster;
    this.nowMs = options.clock.now();
    this.signal = options.signal;
    this.values = options.last.values;
    this.failedBefore = options.last.failures > 0;
    this.#reader = new LiveReader(options);
    this.conditions = new ConditionRecord(options.controller, options.last.conditionOwners);
    this.#writer = new GuardedWriter({ ...options, conditions: this.conditions }, this.#reader);
  }

  /** The reads of this attempt. */
  get reads(): ReadTracker {
    return this.#reader.tracker;
  }

  /** The number of write requests that this attempt sent to the API server. */
  get writes(): number {
    return this.#writer.writes;
  }

  /** The first of these, for the object's history. */
  get written(): readonly PassWrite[] {
    return this.#writer.written;
  }

  /** The target as it was loaded, or as our own guarded write returned it. */
  get target(): KubeObject | undefined {
    return this.#writer.target;
  }

  /** The state of the target that the commit records as observed. */
  get observed(): KubeObject | undefined {
    return this.#writer.observed;
  }

  /** The writes that need not be sent again, for the commit. Writes of objects that were found absent are left out. */
  rememberedWrites(): string[] {
    const { memory } = this.#writer;
    for (const [key, version] of Object.entries(this.reads.versions()))
      if (version === ABSENT_VERSION) memory.drop(key);
    return memory.marks();
  }

  /** Call this right before the target is read. */
  beginReads(): void {
    this.#reader.beginAhead();
  }

  /** Call this with the loaded object, before any write. */
  begin(target: KubeObject): void {
    this.#reader.judgeAhead(target);
    this.#writer.target = target;
    this.#writer.observed = target;
  }

  random(): number {
    return this.#options.entropy.random();
  }

  get(
    type: ResourceType,
    name: ObjectName,
    options: { pollIntervalMs?: number } = {},
  ): Promise<KubeObject | undefined> {
    return heard(this.#reader.get(type, name, options.pollIntervalMs));
  }

  getAgain(type: ResourceType, name: ObjectName): Promise<KubeObject | undefined> {
    return heard(this.#reader.getAgain(type, name));
  }

  list(type: ResourceType, options: ListOptions): Promise<KubeObject[]> {
    return heard(this.#reader.list(type, options));
  }

  create(type: ResourceType, object: DesiredObject): Promise<KubeObject> {
    return heard(this.#writer.create(type, object));
  }

  apply(type: ResourceType, observed: KubeObject, object: DesiredObject): Promise<KubeObject> {
    return heard(this.#writer.apply(type, observed, object));
  }

  mergePatch(type: ResourceType, observed: KubeObject, patch: JsonObject): Promise<KubeObject> {
    return heard(this.#writer.mergePatch(type, observed, patch));
  }

  delete(type: ResourceType, observed: KubeObject, options: { propagation?: Propagation } = {}): Promise<void> {
    return heard(this.#writer.delete(type, observed, options));
  }

  assertLease(): void {
    this.#writer.assertLease();
  }

  within<Result>(limitMs: number, call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return heard(withinLimit(this.#options.clock, this.signal, limitMs, call));
  }

  publishStatus(status: JsonObject): Promise<KubeObject> {
    return heard(this.#publishStatus(status));
  }

  saveValues(values: DurableValues): Promise<void> {
    return heard(this.#saveValues(values));
  }

  recordEvent(event: EventNote): Promise<void> {
    return heard(this.#writer.recordEvent(event));
  }

  /** @param patch a JSON patch of the target with guards for `observed`. */
  patchFinalizers(observed: KubeObject, patch: JsonValue[]): Promise<void> {
    return this.#writer.patchFinalizers(observed, patch);
  }

  /** Notes the transitions of a published status. They are sent after the commit. */
  recordTransition(regarding: KubeObject, note: EventNote): void {
    this.transitions.push({ regarding, note, atMs: this.#options.clock.now() });
  }

  /** Call this before the commit. */
  touchPolls(): Promise<void> {
    return this.#reader.touchPolls();
  }

  async #publishStatus(status: JsonObject): Promise<KubeObject> {
    return await this.#writer.publishStatus(parseStatus(status, 'publishStatus'));
  }

  async #saveValues(values: DurableValues): Promise<void> {
    this.signal.throwIfAborted();
    const { controller, store, hold } = this.#options;
    if (JSON.stringify(values).length > MAX_VALUES_LENGTH) {
      throw new EvenkeelError('VALUES_TOO_LARGE', `${controller.name}: durable values may take 4 KB together`);
    }
    if (jsonEqual(values, this.values)) return;
    if (!(await store.saveValues(hold, values))) {
      throw new LeaseLostError('the lease was taken over before the values could be saved');
    }
    this.values = values;
  }
}
