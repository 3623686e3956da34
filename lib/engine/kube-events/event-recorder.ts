import { sha256Hex } from '../../core/hash.ts';
import type { DesiredObject, KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kubeMicroTime } from '../../core/micro-time.ts';
import { apiVersion, Events } from '../../core/resource-type.ts';
import { cutToUtf8Bytes } from '../../core/text.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { type Admitted, EventLimiter } from './event-limiter.ts';
import type { EventNote, Transition } from './event-note.ts';
import { RecentMap } from './recent-map.ts';

const FIELD_MANAGER = 'evenkeel-events';
/** The API server counts bytes (k8s.io/kubernetes, pkg/apis/core/validation/events.go). */
const MAX_NOTE_BYTES = 1_024;
/** The limit of a reason, an action, and the name of the reporting instance. */
const MAX_WORD_BYTES = 128;
/** The text of client-go. */
const COMBINED = '(combined from similar events): ';
/** Leaves room for the part that makes an Event's name unique. */
const MAX_NAME_START_BYTES = 200;
/** The number of Events whose last answer is remembered. For others, a repetition costs two more requests. */
const MAX_SENT = 4_096;

/** An Event as the API server last returned it. */
interface SentEvent {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly count: number;
}

/**
 * Writes events.k8s.io/v1 Events: one object for each different event of a target; repeated ones are counted as a
 * series.
 */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #instance: string;
  readonly #limiter = new EventLimiter();
  readonly #sent = new RecentMap<SentEvent>(MAX_SENT);

  /** @param instance names this deployment in the events' reportingInstance. */
  constructor(clock: Clock, instance: string) {
    this.#clock = clock;
    this.#instance = instance;
  }

  /**
   * Writes an Event now, and never holds it back: for facts that must be recorded before an effect.
   * @throws ApiError when it could neither be created nor counted.
   */
  async record(api: ClusterApi, regarding: KubeObject, note: EventNote, signal: AbortSignal): Promise<void> {
    const once = { isCombined: false, count: 1 };
    await this.#write(api, this.#toEvent({ regarding, note, atMs: this.#clock.now() }, once), once.count, signal);
  }

  /**
   * Reports a transition, unless its object had too many Events recently.
   * @returns whether a write was sent.
   * @throws ApiError when it could neither be created nor counted.
   */
  async tell(api: ClusterApi, transition: Transition, signal: AbortSignal): Promise<boolean> {
    const admitted = this.#limiter.admit(transition.regarding.metadata.uid, transition.note, this.#clock.now());
    if (admitted === undefined) return false;
    await this.#write(api, this.#toEvent(transition, admitted), admitted.count, signal);
    return true;
  }

  async #write(api: ClusterApi, event: DesiredObject, count: number, signal: AbortSignal): Promise<void> {
    const name = { namespace: event.metadata.namespace ?? '', name: event.metadata.name };
    const sent = this.#sent.get(event.metadata.name);
    if (sent !== undefined && (await this.#countedAgain(api, name, sent, count, signal))) return;
    try {
      this.#remember(await api.create(Events, event, { fieldManager: FIELD_MANAGER, signal }));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const found = asSent(await api.get(Events, name, { signal }));
      await this.#count(api, name, found, count, signal);
    }
  }

  /** @returns false when the Event has expired since, or another worker has counted it. Then it must be read again. */
  async #countedAgain(
    api: ClusterApi,
    name: ObjectName,
    sent: SentEvent,
    count: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      await this.#count(api, name, sent, count, signal);
      return true;
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
      return false;
    }
  }

  /** Only the series of an Event can change. Its content is fixed, so the content is a part of its name. */
  async #count(
    api: ClusterApi,
    name: ObjectName,
    { uid, resourceVersion, count: before }: SentEvent,
    count: number,
    signal: AbortSignal,
  ): Promise<void> {
    const series = { count: before + count, lastObservedTime: kubeMicroTime(this.#clock.now()) };
    const patch = { metadata: { uid, resourceVersion }, series };
    this.#remember(await api.patch(Events, name, { type: 'merge', patch }, { fieldManager: FIELD_MANAGER, signal }));
  }

  #remember(event: KubeObject): void {
    this.#sent.set(event.metadata.name, asSent(event));
  }

  #toEvent({ regarding, note: event, atMs }: Transition, { isCombined, count }: Admitted): DesiredObject {
    const { type, reason, action } = event;
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const note = isCombined ? `${COMBINED}${event.note}` : event.note;
    const said = isCombined ? COMBINED : note;
    const suffix = sha256Hex(`${uid}/${type}/${reason}/${action}/${this.#instance}/${said}`).slice(0, 16);
    const eventTime = kubeMicroTime(atMs);
    return {
      apiVersion: apiVersion(Events),
      kind: Events.kind,
      metadata: { name: `${nameStart(name)}.${suffix}`, namespace: namespace ?? 'default' },
      eventTime,
      ...(count > 1 && { series: { count, lastObservedTime: eventTime } }),
      reportingController: 'evenkeel.dev/evenkeel',
      reportingInstance: cutToUtf8Bytes(this.#instance, MAX_WORD_BYTES),
      action: cutToUtf8Bytes(action, MAX_WORD_BYTES),
      reason: cutToUtf8Bytes(reason, MAX_WORD_BYTES),
      regarding: {
        apiVersion: regarding.apiVersion,
        kind: regarding.kind,
        name,
        uid,
        resourceVersion,
        ...(namespace === undefined ? {} : { namespace }),
      },
      note: cutToUtf8Bytes(note, MAX_NOTE_BYTES),
      type,
    };
  }
}

/** When an object's name is cut, each part between dots must still end in a letter or digit. */
function nameStart(name: string): string {
  return cutToUtf8Bytes(name, MAX_NAME_START_BYTES).replace(/[-.]+$/, '');
}

function asSent({ metadata, series }: KubeObject): SentEvent {
  return { uid: metadata.uid, resourceVersion: metadata.resourceVersion, count: countOf(series) };
}

/** An Event without a series has happened once. */
function countOf(series: unknown): number {
  const { count } = (typeof series === 'object' && series !== null ? series : {}) as { count?: unknown };
  return typeof count === 'number' ? count : 1;
}
