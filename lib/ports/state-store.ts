import type { ClusterStore } from './cluster-store.ts';
import type { EdgeStore } from './edge-store.ts';
import type { FanoutStore } from './fanout-store.ts';
import type { MessageFailures } from './message-failures.ts';
import type { PollStore } from './poll-store.ts';
import type { TargetStore } from './target-store.ts';

export type { Cover } from '../core/cover.ts';
export type * from './cluster-store.ts';
export type * from './edge-store.ts';
export type * from './message-failures.ts';
export type * from './page.ts';
export type * from './poll-store.ts';
export type * from './target-store.ts';

/**
 * The table. The following holds for each of its stores.
 * Every method is one request to the table and atomic, so that a crash can only happen between two of them. Reads are
 * strongly consistent unless their comment says otherwise. A method rejects with InfrastructureError when the table did
 * not answer; the outcome of a conditional write may then be unknown, and the caller reads again. It rejects with
 * ItemError, a subclass, when the item of that one key cannot be read. Times are epoch ms of the caller's clock.
 */
export interface StateStore extends TargetStore, EdgeStore, PollStore, FanoutStore, ClusterStore, MessageFailures {}
