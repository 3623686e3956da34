type Unit = 'Count' | 'Milliseconds' | 'Seconds';

interface MetricDefinition {
  readonly unit: Unit;
  readonly dimensions: readonly string[];
  readonly description: string;
  /** Whether CloudWatch also gets it without dimensions, for an alarm of a whole deployment. */
  readonly total?: true;
}

/**
 * All metrics. Code, dashboards and alarms take the names from here, so that they cannot differ.
 * No object's name or UID is ever a dimension.
 */
export const METRICS = {
  PassOutcome: { unit: 'Count', dimensions: ['Group', 'Kind', 'Outcome'], description: 'Passes by outcome' },
  PassDuration: { unit: 'Milliseconds', dimensions: ['Group', 'Kind'], description: 'Time from acquire to commit' },
  EventLag: {
    unit: 'Milliseconds',
    dimensions: ['Group', 'Kind'],
    description: 'Time from sending an event to its pass',
  },
  DeadlineLag: {
    unit: 'Milliseconds',
    dimensions: ['Group', 'Kind'],
    description: 'Time from a due timer to its pass',
    total: true,
  },
  EventCovered: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Events that were already observed by a committed pass',
  },
  EventHeld: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Events that arrived during a pass and left a pending mark',
  },
  Retry: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Retries by the reason of the failure',
  },
  Conflict: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Writes that the API server refused with a conflict',
  },
  LeaseTakeover: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Leases taken over after they expired' },
  LeaseLost: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Passes that lost their lease and were dropped',
  },
  CrashedPass: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Passes that ended without a commit' },
  NeedsPerson: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Objects whose passes crash again and again, and new versions that were stopped',
    total: true,
  },
  UnhandledError: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Uncaught errors of controllers; `unknown` if the controller is not known',
  },
  RateLimited: {
    unit: 'Count',
    dimensions: ['Group', 'Kind'],
    description: 'Passes put off by the rate limit of their object',
  },
  DeadLetter: { unit: 'Count', dimensions: ['Group', 'Reason'], description: 'Messages that no worker can handle' },
  ConditionTransition: {
    unit: 'Count',
    dimensions: ['Group', 'Kind', 'Reason'],
    description: 'Ready transitions by reason',
  },
  ResyncDrift: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind'],
    description: 'Changes that the watch did not deliver',
    total: true,
  },
  ResyncFound: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Changes that resync sent an event for' },
  RelayHeartbeat: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind'],
    description: 'Bookmarks, events and lists that the relay received',
  },
  RelayEvent: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Watch events' },
  RelaySent: { unit: 'Count', dimensions: ['Cluster', 'Kind'], description: 'Events that the relay sent' },
  RelayReconnect: {
    unit: 'Count',
    dimensions: ['Cluster', 'Kind', 'Reason'],
    description: 'Ended watches by reason',
  },
  BreakerOpen: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Passes ended at once because the cluster does not answer',
  },
  ClusterUnanswered: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Passes put off, watches and comparisons that failed because the cluster does not answer',
    total: true,
  },
  ClusterRestored: {
    unit: 'Count',
    dimensions: ['Cluster'],
    description: 'Restores of a cluster from a backup',
    total: true,
  },
  SweepSent: {
    unit: 'Count',
    dimensions: ['Shard'],
    description: 'Timers that the sweep sent because their wake was lost or never sent',
  },
  WakeSent: { unit: 'Count', dimensions: ['Group'], description: 'Timers sent by their wake' },
  RelaySilence: {
    unit: 'Seconds',
    dimensions: ['Cluster', 'Kind'],
    description: 'Time since the relay of a cluster last recorded progress for a kind',
    total: true,
  },
  ClusterRefused: {
    unit: 'Count',
    dimensions: ['Cluster', 'Reason'],
    description: 'Clusters that cannot be used with their parameter, counted at each try',
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
    description: 'Unreadable objects and items of the table, counted each time one is skipped',
  },
  FanoutRound: {
    unit: 'Count',
    dimensions: ['Group', 'Lane'],
    description: 'Rounds that started, for changes with many readers',
  },
  FanoutTold: { unit: 'Count', dimensions: ['Group', 'Lane'], description: 'Events that rounds sent' },
  FanoutPutOff: {
    unit: 'Count',
    dimensions: ['Group', 'Reason'],
    description: 'Rounds put off, by reason: the last round is too recent, or the lane is full',
  },
  TableThrottled: {
    unit: 'Count',
    dimensions: ['Operation'],
    description: 'Requests that DynamoDB throttled, retries included',
    total: true,
  },
  PollChanged: { unit: 'Count', dimensions: ['Group', 'Kind'], description: 'Changes found by polling' },
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
