import type { KubeObject } from '../../../core/kube-object.ts';
import type { Target, TargetKey } from '../../../core/target.ts';
import type { ReceivedMessage } from '../../../ports/queue.ts';
import type { CommitRecord, Edge, LeaseHold, TargetStore } from '../../../ports/state-store.ts';
import type { CallOutcome, MessageScope, ObservedCall, SimulatedProcess } from '../process.ts';
import type { Attempt, PassRecord, TargetRecord } from './pass-record.ts';

/** A write that took effect in the cluster. */
export interface ObjectWrite {
  readonly call: ObservedCall;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** The answer of the server; for an object that the write removed, its last state. */
  readonly answer: KubeObject | undefined;
}

/** The methods of a checker. Each is called at the moment of its event. */
export interface Invariant {
  /** A request of a pass is about to reach the API server. */
  calling?(call: ObservedCall, attempt: Attempt): void;
  /** Any call of any process took effect, or failed. */
  called?(call: ObservedCall, outcome: CallOutcome): void;
  /** The caller of the call gets an error instead of the result. */
  unanswered?(call: ObservedCall): void;
  batchBegan?(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void;
  handling?(scope: MessageScope): void;
  handled?(scope: MessageScope, acknowledged: boolean): void;
  /** @param displaced the pass that held the target before and never released it. */
  acquired?(pass: PassRecord, record: TargetRecord, displaced: PassRecord | undefined): void;
  /** The table accepted a write that only the holder of a target may make. Called before the more specific methods. */
  wroteState?(call: ObservedCall, hold: LeaseHold): void;
  /** @param overDirty whether there was an unseen pending mark; if so, the pass runs again at once. */
  committed?(attempt: Attempt, record: TargetRecord, commit: CommitRecord, overDirty: boolean): void;
  /** @param crashes the number of earlier passes that did not commit. */
  deferred?(target: Target, record: TargetRecord, defer: Parameters<TargetStore['defer']>[1], crashes: number): void;
  forgotten?(target: Target): void;
  /** @param holder the pass that holds the target. */
  marked?(call: ObservedCall, hold: LeaseHold, dueAtMs: number, holder: PassRecord | undefined): void;
  pushed?(target: TargetKey, dueAtMs: number, fromDueAtMs: number): void;
  edgePut?(edge: Edge): void;
  edgeDeleted?(edge: Edge): void;
  /** A write of any process took effect in the cluster. Without an attempt, it is not the write of a pass. */
  wrote?(write: ObjectWrite, attempt: Attempt | undefined): void;
}
