import { EvenkeelError } from '../../lib/core/errors.ts';
import type { ObjectName } from '../../lib/core/kube-object.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { apiVersion } from '../../lib/core/resource-type.ts';
import { EventRecorder } from '../../lib/engine/kube-events/event-recorder.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { ClusterApi } from '../../lib/ports/cluster-api.ts';
import type { Inspection, OperatedQueues } from '../inspection/inspection.ts';
import type { Frame } from './api-types.ts';

/** What the console can read and do: an installation, its queues and its actions. */
export interface ConsoleSource {
  readonly inspection: Inspection;
  readonly operated: OperatedQueues;
  /** The server refuses every action. */
  readonly readOnly: boolean;
  /** Writes a Kubernetes Event about an action; rejects when the cluster refuses it. */
  readonly recordAction?: (type: ResourceType, name: ObjectName, note: ActionNote) => Promise<void>;
}

/** @throws EvenkeelError STAGE_NEEDED when the options name only a table. */
export function consoleSource(inspection: Inspection, readOnly: boolean): ConsoleSource {
  const { api, clock, operated, by } = inspection;
  if (operated === undefined)
    throw new EvenkeelError('STAGE_NEEDED', 'the stage is needed to find the queues. Name it with --stage STAGE.');
  const recordAction = api && actionRecorder(api, clock, by);
  return { inspection, operated, readOnly, ...(recordAction !== undefined && { recordAction }) };
}

export interface ActionNote {
  readonly reason: string;
  readonly note: string;
  readonly action: string;
}

/** The refresh interval on one machine, where a request costs little CPU. In the cloud AWS charges the reads. */
const LOCAL_REFRESH_MS = 2_000;
const CLOUD_REFRESH_MS = 30_000;
const LONGEST_REFRESH_MS = 120_000;

/** @param nextMs the reading of the monotonic clock at which the answer can change; absent means at once. */
export function frameOf({ inspection, operated: { stage, isCloud }, readOnly }: ConsoleSource, nextMs = 0): Frame {
  const { cluster, clock, by } = inspection;
  const least = isCloud ? CLOUD_REFRESH_MS : LOCAL_REFRESH_MS;
  return {
    now: new Date(clock.now()).toISOString(),
    cluster,
    ...(isCloud && { stage }),
    readOnly,
    by,
    refreshMs: Math.round(Math.min(LONGEST_REFRESH_MS, Math.max(least, nextMs - clock.monotonic()))),
  };
}

/** The longest time that an action waits for its Event. */
const EVENT_TIMEOUT_MS = 5_000;

/** Writes Kubernetes Events about actions. @param instance the user, as reportingInstance. */
function actionRecorder(api: ClusterApi, clock: Clock, instance: string): NonNullable<ConsoleSource['recordAction']> {
  const recorder = new EventRecorder(clock, instance);
  return async (type, name, note) => {
    const signal = AbortSignal.timeout(EVENT_TIMEOUT_MS);
    const found = await api.get(type, name, { metadataOnly: true, signal });
    const regarding = { ...found, apiVersion: apiVersion(type), kind: type.kind };
    await recorder.record(api, regarding, { type: 'Normal', ...note }, signal);
  };
}
