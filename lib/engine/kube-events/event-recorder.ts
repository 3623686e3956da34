import type { Condition } from '../../core/conditions.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';
import { kubeMicroTime } from '../../core/micro-time.ts';
import { apiVersion, Events } from '../../core/resource-type.ts';
import { cutToUtf8Bytes } from '../../core/text.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Free of server text. What is longer than 1,024 bytes is cut. */
  readonly note: string;
  readonly action: string;
}

const FIELD_MANAGER = 'evenkeel-events';
/** The API server counts bytes (k8s.io/kubernetes, pkg/apis/core/validation/events.go). */
const MAX_NOTE_BYTES = 1_024;
/** Of a reason, an action, and the name of the reporting instance. */
const MAX_WORD_BYTES = 128;
/** Leaves room for what makes an Event's name unique. */
const MAX_NAME_START_BYTES = 200;

/** Writes events.k8s.io/v1 Events: one object for each distinct happening of a target, repeated ones counted as a series. */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #instance: string;

  /** @param instance names this deployment in the events' reportingInstance. */
  constructor(clock: Clock, instance: string) {
    this.#clock = clock;
    this.#instance = instance;
  }

  /** @throws ApiError when neither creating nor counting worked. */
  async record(api: ClusterApi, regarding: KubeObject, note: EventNote, signal: AbortSignal): Promise<void> {
    const event = this.#toEvent(regarding, note);
    try {
      await api.create(Events, event, { fieldManager: FIELD_MANAGER, signal });
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      await this.#countAgain(api, event, signal);
    }
  }

  /** Only the series of an Event can change; what it says is fixed, and so part of its name. */
  async #countAgain(api: ClusterApi, event: DesiredObject, signal: AbortSignal): Promise<void> {
    const name = { namespace: event.metadata.namespace ?? '', name: event.metadata.name };
    const known = await api.get(Events, name, { signal });
    const patch = {
      metadata: { uid: known.metadata.uid, resourceVersion: known.metadata.resourceVersion },
      series: { count: countOf(known.series) + 1, lastObservedTime: kubeMicroTime(this.#clock.now()) },
    };
    await api.patch(Events, name, { type: 'merge', patch }, { fieldManager: FIELD_MANAGER, signal });
  }

  #toEvent(regarding: KubeObject, { type, reason, note, action }: EventNote): DesiredObject {
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const suffix = sha256Hex(`${uid}/${type}/${reason}/${action}/${this.#instance}/${note}`).slice(0, 16);
    return {
      apiVersion: apiVersion(Events),
      kind: Events.kind,
      metadata: { name: `${nameStart(name)}.${suffix}`, namespace: namespace ?? 'default' },
      eventTime: kubeMicroTime(this.#clock.now()),
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

/** Each part of an object's name between dots ends in a letter or digit, where it is cut too. */
function nameStart(name: string): string {
  return cutToUtf8Bytes(name, MAX_NAME_START_BYTES).replace(/[-.]+$/, '');
}

/** An Event without a series has happened once. */
function countOf(series: unknown): number {
  const { count } = (typeof series === 'object' && series !== null ? series : {}) as { count?: unknown };
  return typeof count === 'number' ? count : 1;
}

/**
 * The events for what turned between two lists of conditions. A condition that appears for the first time has
 * not turned.
 */
export function transitionNotes(before: readonly Condition[], after: readonly Condition[]): EventNote[] {
  return after.flatMap((condition) => {
    const previous = before.find(({ type }) => type === condition.type);
    if (previous === undefined || previous.status === condition.status) return [];
    return [
      {
        type: condition.status === 'True' ? 'Normal' : 'Warning',
        reason: condition.reason,
        note: `${condition.type} turned from ${previous.status} to ${condition.status}: ${condition.message}`,
        action: `${condition.type}Turned${condition.status}`,
      } satisfies EventNote,
    ];
  });
}

/** The event for an object that failed from the start, for whose condition nothing turned. */
export function failureNote({ type, status, reason, message }: Condition): EventNote {
  return { type: 'Warning', reason, note: `${type} is ${status}: ${message}`, action: `${type}Began${status}` };
}
