import type { Explanation } from '../inspection/explanation.ts';
import type { InventoryRow } from '../inspection/inventory-table.ts';

/*
 * The types that the console's server and its page share. Times are RFC 3339, and durations are ms. No field contains a
 * value of a Secret: the table has none, and of an object in the cluster only metadata and conditions are read
 * (R-1.24).
 */

/** The state that an object is counted under: the first one that applies. */
export type ObjectState =
  | 'deleting'
  | 'failing'
  | 'notReady'
  | 'running'
  | 'paused'
  | 'unmanaged'
  | 'ready'
  | 'settled';

export const OBJECT_STATES: readonly ObjectState[] = [
  'failing',
  'notReady',
  'deleting',
  'running',
  'paused',
  'unmanaged',
  'ready',
  'settled',
];

/** One row of a list. It has no message, because a list of many objects keeps all its rows in memory. */
export interface ObjectRow extends Omit<InventoryRow, 'message'> {
  /** The id of the kind, for addresses. */
  readonly kindId: string;
  readonly counted: ObjectState;
}

/** A part of every answer, so that the page knows what it shows. */
export interface Frame {
  /** The server's time, from which ages are computed. */
  readonly now: string;
  readonly cluster: string;
  /** The stage in the cloud; absent on one machine. */
  readonly stage?: string;
  readonly readOnly: boolean;
  /** The user's name, which is recorded with an action. */
  readonly by: string;
  /** The time until the page asks again. */
  readonly refreshMs: number;
}

export interface KindCount {
  readonly kind: string;
  readonly kindId: string;
  readonly group: string;
  readonly total: number;
  readonly counts: Readonly<Partial<Record<ObjectState, number>>>;
}

export interface Overview extends Frame {
  /** When the table was read. A large table is not read for each request of the page. */
  readonly readAt: string;
  readonly kinds: readonly KindCount[];
  readonly passes: {
    /** The passes of the last minute in the objects' histories. */
    readonly lastMinute: number;
    readonly perSecond: number;
    /** The time from an event to the start of its pass; absent when there was no pass. */
    readonly queueDelayMs?: { readonly median: number; readonly highest: number };
  };
  /** Waiting messages by queue. SQS shows changes up to a minute late. */
  readonly backlog: readonly QueueCount[];
  readonly deadLetters: number;
  readonly failing: readonly ObjectRow[];
  readonly nextDeadlines: readonly ObjectRow[];
  readonly clusterState: ClusterSummary;
}

export interface QueueCount {
  readonly queue: string;
  readonly count: number;
}

export interface ClusterSummary {
  readonly incarnation: number;
  readonly paused: boolean;
  readonly pauseNote?: { readonly by: string; readonly at: string };
  readonly unreachableUntil?: string;
  readonly relay?: { readonly owner: string; readonly until: string };
}

/** A part of a list. */
export interface ObjectPage extends Frame {
  /** When the table was read. */
  readonly readAt: string;
  /** All kinds, for the filter. */
  readonly kinds: readonly Pick<KindCount, 'kind' | 'kindId'>[];
  /** The position of the first row in the list, from 0. */
  readonly from: number;
  readonly rows: readonly ObjectRow[];
  /** The number of objects that the filter shows, in all parts. */
  readonly selected: number;
  /** Objects that the overview counts and that no list has, because there are too many. */
  readonly notListed: number;
}

export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export interface ObjectReader {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectView extends Frame {
  readonly kind: string;
  readonly row: ObjectRow;
  readonly explanation: Explanation;
  /** The text of the panel `why`: the first sentence is the cause, each further one is information or a remedy. */
  readonly why: readonly string[];
  /** Absent when this machine cannot reach the cluster. */
  readonly conditions?: readonly ShownCondition[];
  readonly generation?: number;
  /** Whether its annotation pauses it. Absent when this machine cannot reach the cluster. */
  readonly pausedByAnnotation?: boolean;
  /** Ids of the kinds that the controller creates. Objects of these kinds among the dependencies are owned objects. */
  readonly ownedKinds: readonly string[];
  readonly readBy: readonly ObjectReader[];
  readonly moreReaders: boolean;
}

export interface ClusterView extends Frame {
  readonly clusterState: ClusterSummary;
  readonly groups: readonly { readonly group: string; readonly drivenBy?: string }[];
  readonly watches: readonly {
    readonly kind: string;
    readonly kindId: string;
    readonly version?: string;
    readonly heardAt?: string;
  }[];
}

export interface DeadLetterView extends Frame {
  /** The number of messages that the filter shows, in all queues. */
  readonly selected: number;
  readonly queues: readonly {
    readonly name: string;
    /** About how many messages the queue has. */
    readonly count: number;
    /** How many of the messages that could be read the filter shows. */
    readonly selected: number;
    readonly letters: readonly {
      readonly messageId: string;
      readonly sentAt: string;
      readonly reason: string;
      /** The object of the message; only as far as its body is an event. */
      readonly subject: string;
    }[];
  }[];
}

/** What an action for many objects has done so far. */
export interface BulkReport {
  readonly title: string;
  readonly state: 'running' | 'stopped' | 'ended';
  /** The most objects that it acts on. */
  readonly limit: number;
  readonly done: number;
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly { readonly name: string; readonly error: string }[];
}

export interface BulkView extends Frame {
  /** Absent before the first action for many objects. */
  readonly report?: BulkReport;
}

/** The answer to a successful action. */
export interface Done {
  readonly done: string;
}

/** The answer to a request that was refused or failed. */
export interface Refused {
  readonly error: string;
}
