import type { Explanation } from '../inspection/explanation.ts';
import type { InventoryRow } from '../inspection/inventory-table.ts';

/*
 * What the console's server and its page say to each other. Times are RFC 3339, and durations are ms. Nothing here holds
 * a value of a Secret: the table has none, and of an object in the cluster only metadata and conditions are taken.
 */

/** What an object is counted as, the first that fits. */
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

/** A line of a list. */
export interface ObjectRow extends InventoryRow {
  /** For addresses: the id of the kind. */
  readonly kindId: string;
  readonly counted: ObjectState;
}

/** With every answer, so that the page knows where it stands. */
export interface Frame {
  /** The server's time, which ages are counted from. */
  readonly now: string;
  readonly cluster: string;
  /** The stage in the cloud; absent on one machine. */
  readonly stage?: string;
  readonly readOnly: boolean;
  /** Who is recorded with an action. */
  readonly by: string;
  /** How long the page waits until it asks again. */
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
  /** When the table was read: on a large table not each time that the page asks. */
  readonly readAt: string;
  readonly kinds: readonly KindCount[];
  readonly passes: {
    /** Passes that the objects' histories show in the last minute. */
    readonly lastMinute: number;
    readonly perSecond: number;
    /** From when an event was sent until its pass started; absent without a pass. */
    readonly queueDelayMs?: { readonly median: number; readonly highest: number };
  };
  /** Waiting messages by queue; SQS shows changes up to a minute later. */
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

export interface ObjectPage extends Frame {
  readonly rows: readonly ObjectRow[];
  /** Objects that the filter selects, on all pages. */
  readonly selected: number;
  /** Continues after the last row; absent on the last page. */
  readonly next?: string;
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
  /** What the panel `why` says: the first sentence is the cause, each further one what to know or to do. */
  readonly why: readonly string[];
  /** Absent where this machine does not reach the cluster. */
  readonly conditions?: readonly ShownCondition[];
  readonly generation?: number;
  /** Ids of the kinds that the controller creates: what the object reads of these, it owns. */
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
  readonly queues: readonly {
    readonly name: string;
    readonly count: number;
    readonly letters: readonly {
      readonly messageId: string;
      readonly sentAt: string;
      readonly reason: string;
      /** What it is about, as far as its body is an event. */
      readonly subject: string;
    }[];
  }[];
}

/** The answer to an action. */
export interface Done {
  readonly done: string;
}

/** The answer to a request that was refused or failed. */
export interface Refused {
  readonly error: string;
}
