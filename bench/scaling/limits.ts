import { batching, neededExecutions } from '../../lib/deployment/cloud/batching.ts';
import { TABLE_SHARDS } from '../../lib/deployment/installation/resource-names.ts';
import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import { DEFAULT_RELAY_OPTIONS } from '../../lib/engine/relay/relay-options.ts';
import { DEFAULT_RESYNC_OPTIONS } from '../../lib/engine/resync/resync-tick.ts';
import type { CostAssumptions } from '../cost-model.ts';
import type { CountedOutcome, RequestCounts } from '../request-counts.ts';
import { QUOTAS } from './quotas.ts';

/** A fleet, and what its users do. */
export interface FleetSize {
  readonly clusters: number;
  /** Reconciled objects of all clusters together. Each one reads one other object. */
  readonly objects: number;
}

export interface ScalingInputs {
  readonly settings: Pick<Settings, 'concurrency' | 'resyncConcurrency' | 'intervals'>;
  readonly counts: Readonly<Record<CountedOutcome, RequestCounts>>;
  readonly assumed: CostAssumptions;
  /** How long an API server takes for an answer, ms. A pass takes as long as the answers that it waits for. */
  readonly latency: { readonly readMs: number; readonly writeMs: number };
  /** Installed controller groups. */
  readonly groups: number;
  /** Edits of each object in a day, on average. */
  readonly editsADay: number;
  /** The busiest seconds have so many times the average. */
  readonly peak: number;
  /** Clusters and namespaces are all equally busy. */
  readonly namespacesACluster: number;
  /** Changes of one kind that one relay sends in a second. */
  readonly relayChangesPerSecond: number;
}

/** How much of a limit a fleet uses in its busiest seconds. */
export interface PartUse {
  readonly part: string;
  readonly needed: number;
  readonly limit: number;
  readonly unit: string;
}

/** What happens to all objects at once takes so long. */
export interface FleetDurations {
  /** From the registration of all clusters to the last first pass. */
  readonly firstPassesSeconds: number;
  /** From a deployment to the last pass by the new version. */
  readonly rolloutSeconds: number;
  /** From the return of a region that was gone for an hour until each edit of this hour was seen by a pass. */
  readonly recoverySeconds: number;
}

/** Changes of one kind that one relay works through in a second: test/engine/relay/throughput.test.ts holds it. */
export const RELAY_CHANGES_PER_SECOND = 2_000;

/** A change of a timer removes an entry of the index and writes another one (AWS: GSI.html, considerations for writes). */
const INDEX_WRITES_A_TIMER = 2;
/** GetParametersByPath gives ten parameters in an answer unless more are asked for. */
const PARAMETERS_A_PAGE = 10;
const PARAMETERS_EVERY_SECONDS = 60;
/** The smallest unit of a read; a query of the readers of one key reads less than 4 KB. */
const QUERIES_A_CHANGE = 2;
const DAY_SECONDS = 86_400;
export const OUTAGE_SECONDS = 3_600;
/** A relay that died keeps its cluster for the length of the hold and the tolerated difference of clocks. */
const HOLD_SECONDS = (DEFAULT_RELAY_OPTIONS.leaseMs + DEFAULT_RELAY_OPTIONS.clockSkewMs) / 1_000;
/** The schedule of resync after a run that found something. */
const RESYNC_EVERY_SECONDS = 300;

/** How long a pass of a SecretContract takes. Its two reads are at the same time, except in the first pass. */
export function passSeconds(pass: 'first' | 'change' | 'noop', { latency }: Pick<ScalingInputs, 'latency'>): number {
  const { readMs, writeMs } = latency;
  return { first: 2 * readMs + writeMs, change: readMs + writeMs, noop: readMs }[pass] / 1_000;
}

/** Passes of the fleet in its busiest second. */
export function passesPerSecond({ objects }: FleetSize, inputs: ScalingInputs): { edits: number; timers: number } {
  const { editsADay, peak, settings } = inputs;
  return {
    edits: (peak * objects * editsADay) / DAY_SECONDS,
    timers: objects / (settings.intervals.targetResyncMs / 1_000),
  };
}

/** Every part that has a limit, the one that is used most first. */
export function partUses(fleet: FleetSize, inputs: ScalingInputs): PartUse[] {
  const uses = [...functionUses(fleet, inputs), ...tableUses(fleet, inputs), ...clusterUses(fleet, inputs)];
  return uses.sort((left, right) => right.needed / right.limit - left.needed / left.limit);
}

function functionUses(fleet: FleetSize, inputs: ScalingInputs): PartUse[] {
  const { settings, assumed, groups } = inputs;
  const { edits, timers } = passesPerSecond(fleet, inputs);
  const passes = edits + timers;
  const seconds = passSeconds('change', inputs);
  const { maximumConcurrency, batchSize } = batching(settings.concurrency);
  const executions = neededExecutions(settings, groups);
  const lists = (executions * Math.ceil(fleet.clusters / PARAMETERS_A_PAGE)) / PARAMETERS_EVERY_SECONDS;
  const inFlight = Math.min(maximumConcurrency * batchSize, passes * seconds);
  const requests = passes / assumed.messagesPerBatch;
  return [
    use('event lane: passes', passes, laneRate(settings.concurrency, seconds), 'passes/s'),
    use('account: executions', executions, QUOTAS.accountExecutions.value, 'at once'),
    use('event queue: messages in flight', inFlight, QUOTAS.fifoInFlight.value, 'messages'),
    use('event queue: requests, as deployed', requests, QUOTAS.fifoHighThroughput.value, 'requests/s'),
    use('event queue: requests, without high throughput', requests, QUOTAS.fifoRequests.value, 'requests/s'),
    use('Parameter Store: lists of clusters', lists, QUOTAS.parameterReads.value, 'requests/s'),
  ];
}

function tableUses(fleet: FleetSize, inputs: ScalingInputs): PartUse[] {
  const { counts, namespacesACluster } = inputs;
  const { edits, timers } = passesPerSecond(fleet, inputs);
  const writes = edits * counts['dependency change'].tableWrites + timers * counts['no-op pass'].tableWrites;
  // Half of the edits change an object that is read.
  const namespaceReads = ((edits / 2) * QUERIES_A_CHANGE) / (fleet.clusters * namespacesACluster);
  const partitions = TABLE_SHARDS * QUOTAS.partitionWrites.value;
  return [
    use('table: writes', writes, QUOTAS.tableWrites.value, 'units/s'),
    use('table: writes of a new table', writes, QUOTAS.newTableWrites.value, 'units/s'),
    use("table: writes of a cluster's objects", writes / fleet.clusters, partitions, 'units/s'),
    use('index over timers: writes', timers * INDEX_WRITES_A_TIMER, partitions, 'units/s'),
    use("edges: reads of a namespace's changes", namespaceReads, QUOTAS.partitionReads.value, 'units/s'),
  ];
}

function clusterUses({ clusters, objects }: FleetSize, inputs: ScalingInputs): PartUse[] {
  const { counts, relayChangesPerSecond } = inputs;
  const { edits, timers } = passesPerSecond({ clusters, objects: objects / clusters }, inputs);
  const seconds = passSeconds('change', inputs);
  const change = counts['dependency change'];
  const reads = edits * change.kubernetesReads + timers * counts['no-op pass'].kubernetesReads;
  const writes = edits * change.kubernetesWrites;
  return [
    // The status that a pass writes is a change too.
    use('relay: changes of one kind in one cluster', 2 * edits, relayChangesPerSecond, 'changes/s'),
    use('API server: reads at once', reads * seconds, QUOTAS.apiServerReads.value, 'requests'),
    use('API server: writes at once', writes * seconds, QUOTAS.apiServerWrites.value, 'requests'),
  ];
}

function use(part: string, needed: number, limit: number, unit: string): PartUse {
  return { part, needed, limit, unit };
}

/** Passes a second of a lane that has more work than it can do. @param passesAtOnce its setting. */
export function laneRate(passesAtOnce: number, secondsAPass: number): number {
  const { batchSize, maximumConcurrency } = batching(passesAtOnce);
  return (batchSize * maximumConcurrency) / secondsAPass;
}

/** All come by the lane of resync, which has a small concurrency so that users' changes go first. */
export function durations({ clusters, objects }: FleetSize, inputs: ScalingInputs): FleetDurations {
  const lane = (pass: 'first' | 'change' | 'noop') =>
    laneRate(inputs.settings.resyncConcurrency, passSeconds(pass, inputs));
  const runs = Math.ceil(objects / clusters / DEFAULT_RESYNC_OPTIONS.outdatedPerTick);
  const missed = (objects * inputs.editsADay * OUTAGE_SECONDS) / DAY_SECONDS;
  return {
    firstPassesSeconds: objects / lane('first'),
    rolloutSeconds: Math.max(objects / lane('noop'), runs * RESYNC_EVERY_SECONDS),
    recoverySeconds: HOLD_SECONDS + missed / lane('change'),
  };
}

/** GB of log in a day. */
export function logGbADay(fleet: FleetSize, inputs: ScalingInputs): number {
  const { edits, timers } = passesPerSecond(fleet, { ...inputs, peak: 1 });
  return ((edits + timers) * DAY_SECONDS * inputs.assumed.logKb) / 1e6;
}
