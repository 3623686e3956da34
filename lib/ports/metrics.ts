type Unit = 'Count' | 'Milliseconds' | 'Seconds';

interface MetricDefinition {
  readonly unit: Unit;
  readonly dimensions: readonly string[];
  readonly description: string;
  /** In CloudWatch it is there without dimensions as well: what an alarm of a whole deployment watches. */
  readonly total?: true;
}

/**
 * Every metric there is: code, dashboards and alarms all take names from here, so that they cannot drift.
 * No object's name or UID is ever a dimension.
 */
export const METRICS = {
  PassOutcome: { unit: 'Count', dimensions: ['Group', 'Kind', 'Outcome'], description: 'Passes by outcome' },
  PassDuration: { unit: 'Milliseconds', dimensions: ['Group', 'Kind'], description: 'Time from acquire to commit' },
  EventLag: {
    unit: 'Milliseconds',
    dimensions: ['Group', 'Kind'],
    description: 'From an event being sent to its pass',
  },
  DeadlineLag: {
    unit: 'Milliseconds',
    dimensions: ['Group', 'Kind'],
    description: 'From a deadline being due to its pass',
    total: true,
  },
  EventCovered: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Events that a committed pass had seen already',
  },
  EventHeld: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Events that met a running pass and marked it dirty',
  },
  Retry: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Retries by the reason of the failure',
  },
  Conflict: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Writes the API server refused as outdated' },
  LeaseTakeover: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Leases taken over after they ended' },
  LeaseLost: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Passes that lost their lease and were dropped',
  },
  CrashedPass: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Passes that ended without a commit' },
  NeedsPerson: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Targets whose passes crash again and again',
    total: true,
  },
  UnhandledError: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Errors that the code of a controller left uncaught; `unknown` where it is not known whose',
  },
  RateLimited: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Passes put off by the target rate limit' },
  DeadLetter: { unit: 'Count', dimensions: ['Group', 'Reason'], description: 'Messages that can never be handled' },
  ConditionTransition: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Ready conditions turning, by reason',
  },
  ResyncDrift: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind'],
    description: 'Changes that the watch should have delivered and did not',
    total: true,
  },
  ResyncFound: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Changes that resync sent an event for' },
  RelayHeartbeat: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind'],
    description: 'Bookmarks, events and lists the relay saw',
  },
  RelayEvent: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Watch events' },
  RelaySent: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Messages the relay sent' },
  RelayReconnect: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind', 'Reason'],
    description: 'Watches that ended, by reason',
  },
  BreakerOpen: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Passes ended at once because the cluster does not answer',
    total: true,
  },
  ClusterRestored: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Restores of a cluster from an older backup',
    total: true,
  },
  SweepSent: {
    unit: 'Count',
    dimensions: ['Shard'],
    description: 'Deadlines the sweep sent, its wake being lost or never sent',
  },
  WakeSent: { unit: 'Count', dimensions: ['Group'], description: 'Deadlines sent by their delayed wake' },
  RelaySilence: {
    unit: 'Seconds',
    dimensions: ['Cluster', 'Kind'],
    description: 'Since the relay of a cluster last recorded how far it came with a kind',
    total: true,
  },
  ClusterRefused: {
    unit: 'Count',
    dimensions: ['Cluster', 'Reason'],
    description: 'Clusters that cannot be used as their parameter says, each time it is noticed',
    total: true,
  },
  DeploymentConflict: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Passes put off because another deployment drives the group in the cluster',
    total: true,
  },
  Unreadable: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind'],
    description: 'Objects and items of the table that cannot be read and are left out, each time it is noticed',
  },
  FanoutRound: {
    unit: 'Count',
    dimensions: ['Group', 'Lane'],
    description: 'Rounds that began to tell many readers of a change',
  },
  FanoutTold: { unit: 'Count', dimensions: ['Group', 'Lane'], description: 'Events that such rounds sent' },
  FanoutPutOff: {
    unit: 'Count',
    dimensions: ['Group', 'Reason'],
    description: 'Rounds put off, by reason: the last one was just now, or the lane is full',
  },
  PollChanged: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Polled objects found changed' },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

/** Exactly the dimensions that the metric declares. */
export type MetricDimensions<Name extends MetricName> = {
  readonly [Dimension in (typeof METRICS)[Name]['dimensions'][number]]: string;
};

export interface Metrics {
  /** Adds to a count, or records one measurement of a duration. */
  record<Name extends MetricName>(name: Name, value: number, dimensions: MetricDimensions<Name>): void;
}
