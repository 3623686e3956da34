import type { KubeObject } from '../../../core/kube-object.ts';
import type { TargetKey } from '../../../core/target.ts';
import type { ReceivedMessage } from '../../../ports/queue.ts';
import type {
  AcquireRequest,
  AcquireResult,
  CommitRecord,
  Edge,
  LeaseHold,
  TargetState,
  TargetStore,
} from '../../../ports/state-store.ts';
import type { ClusterMirror } from '../cluster-mirror.ts';
import {
  type CallOutcome,
  isEventScope,
  type MessageScope,
  type ObservedCall,
  type SimulatedProcess,
} from '../process.ts';
import type { SimulationObserver } from '../simulation.ts';
import type { Invariant, ObjectWrite } from './invariant.ts';
import {
  learnError,
  learnPage,
  learnRead,
  learnWrite,
  namedObject,
  newAttempt,
  settleAhead,
  unlearn,
} from './learn.ts';
import { type Attempt, type PassRecord, type TargetRecord, targetKey } from './pass-record.ts';

type DeferRecord = Parameters<TargetStore['defer']>[1];

/**
 * Records what really happened to each target, from the calls in the order in which they took effect: which pass held
 * it, what each pass read and wrote, and how it ended. It uses nothing that the engine records. It calls the invariants
 * at each step.
 */
export class Ledger implements SimulationObserver {
  readonly targets = new Map<string, TargetRecord>();
  passCount = 0;
  readonly #cluster: ClusterMirror;
  readonly #now: () => number;
  readonly #invariants: readonly Invariant[];
  readonly #passes = new Map<MessageScope, PassRecord>();
  readonly #before = new WeakMap<ObservedCall, KubeObject | undefined>();

  constructor(cluster: ClusterMirror, now: () => number, invariants: readonly Invariant[]) {
    this.#cluster = cluster;
    this.#now = now;
    this.#invariants = invariants;
  }

  before(call: ObservedCall): void {
    if (call.port !== 'api') return;
    const named = namedObject(call);
    if (named !== undefined) this.#before.set(call, this.#cluster.find(named.kind, named));
    const attempt = this.#attemptOf(call);
    if (attempt === undefined) return;
    attempt.pass.calls += 1;
    for (const invariant of this.#invariants) invariant.calling?.(call, attempt);
  }

  after(call: ObservedCall, outcome: CallOutcome): void {
    for (const invariant of this.#invariants) invariant.called?.(call, outcome);
    if (call.port === 'store') {
      if (outcome.ok) this.#afterStore(call, outcome.value);
    } else if (call.port === 'api') this.#afterApi(call, outcome);
  }

  unanswered(call: ObservedCall, error: unknown): void {
    for (const invariant of this.#invariants) invariant.unanswered?.(call);
    if (call.port !== 'api') return;
    this.#learnRefusal(call, error);
    const attempt = this.#attemptOf(call);
    if (attempt !== undefined) unlearn(attempt, call, error);
  }

  batchBegan(process: SimulatedProcess, messages: readonly ReceivedMessage[]): void {
    this.#tell((invariant) => invariant.batchBegan?.(process, messages));
  }

  handling(scope: MessageScope): void {
    this.#tell((invariant) => invariant.handling?.(scope));
  }

  handled(scope: MessageScope, acknowledged: boolean): void {
    for (const invariant of this.#invariants) invariant.handled?.(scope, acknowledged);
    this.#passes.delete(scope);
  }

  record(target: TargetKey): TargetRecord {
    const key = targetKey(target);
    let record = this.targets.get(key);
    if (record === undefined) {
      record = { key, holder: undefined, crashes: 0, failures: 0, lastCommit: undefined };
      this.targets.set(key, record);
    }
    return record;
  }

  #attemptOf({ scope }: ObservedCall): Attempt | undefined {
    return scope === undefined ? undefined : this.#passes.get(scope)?.attempts.at(-1);
  }

  /**
   * A call without a message verifies the cluster for all passes of its process. Each of these passes may fail because
   * of its answer.
   */
  #learnRefusal(call: ObservedCall, error: unknown): void {
    if (call.scope !== undefined) {
      const attempt = this.#attemptOf(call);
      if (attempt !== undefined) learnError(attempt, error);
      return;
    }
    for (const [{ process }, { attempts }] of this.#passes) {
      const attempt = attempts.at(-1);
      if (process === call.process && attempt !== undefined) learnError(attempt, error);
    }
  }

  #afterStore(call: ObservedCall, value: unknown): void {
    const [first, second, third] = call.args;
    switch (call.method) {
      case 'acquire':
        this.#asked(call, first as AcquireRequest, value as AcquireResult);
        return;
      case 'renewAttempt':
        if (value !== undefined) this.#renewed(call, first as LeaseHold, value as TargetState);
        return;
      case 'commit':
      case 'commitOverDirty':
        if (value === true) this.#committed(call, first as LeaseHold, second as CommitRecord);
        return;
      case 'defer':
        if (value === true) this.#deferred(call, first as LeaseHold, second as DeferRecord);
        return;
      case 'forget':
        if (value === true) this.#forgotten(call, first as LeaseHold);
        return;
      case 'saveValues':
        if (value === true) this.#tell((invariant) => invariant.wroteState?.(call, first as LeaseHold));
        return;
      case 'markHeld':
        if (value === true) {
          const hold = first as LeaseHold;
          const { holder } = this.record(hold.target);
          if (isEventScope(call.scope)) holder?.marks.push(call.scope.event);
          this.#tell((invariant) => invariant.marked?.(call, hold, third as number, holder));
        }
        return;
      case 'pushDue':
        if (value === true) {
          const { dueAtMs } = second as { dueAtMs: number };
          this.#tell((invariant) => invariant.pushed?.(first as TargetKey, third as number, dueAtMs));
        }
        return;
      case 'putEdge':
        if (value === true) this.#tell((invariant) => invariant.edgePut?.(first as Edge));
        return;
      case 'deleteEdge':
        this.#tell((invariant) => invariant.edgeDeleted?.(first as Edge));
        return;
    }
  }

  #asked(call: ObservedCall, request: AcquireRequest, result: AcquireResult): void {
    if (result.type === 'acquired') this.#acquired(call, request, result.state);
  }

  #acquired(call: ObservedCall, request: AcquireRequest, state: TargetState): void {
    const { scope, process } = call;
    if (!isEventScope(scope)) return;
    const record = this.record(request.target);
    const displaced = record.holder;
    if (displaced !== undefined) record.crashes += 1;
    const pass: PassRecord = {
      target: { ...state.target },
      scope,
      epoch: state.epoch,
      startedAtMs: this.#now(),
      untilMs: request.leaseUntilMs - process.skewMs,
      leaseUntilMs: request.leaseUntilMs,
      attempts: [],
      marks: [],
      calls: 0,
    };
    pass.attempts.push(newAttempt(pass));
    record.holder = pass;
    this.passCount += 1;
    this.#passes.set(scope, pass);
    this.#tell((invariant) => invariant.acquired?.(pass, record, displaced));
  }

  #renewed(call: ObservedCall, hold: LeaseHold, state: TargetState): void {
    this.#tell((invariant) => invariant.wroteState?.(call, hold));
    const pass = call.scope === undefined ? undefined : this.#passes.get(call.scope);
    if (pass === undefined) return;
    pass.target = { ...state.target };
    pass.attempts.push(newAttempt(pass));
    pass.marks.length = 0;
  }

  #committed(call: ObservedCall, hold: LeaseHold, commit: CommitRecord): void {
    this.#tell((invariant) => invariant.wroteState?.(call, hold));
    const record = this.record(hold.target);
    const attempt = this.#attemptOf(call);
    const failed = commit.lastOutcome.type === 'retry';
    record.failures = failed ? record.failures + record.crashes + 1 : 0;
    record.crashes = 0;
    record.holder = undefined;
    if (attempt === undefined) return;
    settleAhead(attempt, commit);
    record.lastCommit = { attempt, record: commit, atMs: this.#now() };
    this.#tell((invariant) => invariant.committed?.(attempt, record, commit, call.method === 'commitOverDirty'));
  }

  #deferred(call: ObservedCall, hold: LeaseHold, defer: DeferRecord): void {
    this.#tell((invariant) => invariant.wroteState?.(call, hold));
    const record = this.record(hold.target);
    const crashes = record.crashes;
    record.crashes = 0;
    record.holder = undefined;
    this.#tell((invariant) => invariant.deferred?.(hold.target, record, defer, crashes));
  }

  #forgotten(call: ObservedCall, hold: LeaseHold): void {
    this.#tell((invariant) => invariant.wroteState?.(call, hold));
    this.targets.delete(targetKey(hold.target));
    this.#tell((invariant) => invariant.forgotten?.(hold.target));
  }

  #afterApi(call: ObservedCall, outcome: CallOutcome): void {
    const attempt = this.#attemptOf(call);
    const write = outcome.ok ? this.#writeOf(call, outcome.value) : undefined;
    if (write !== undefined) {
      this.#tell((invariant) => invariant.wrote?.(write, attempt));
      if (attempt !== undefined) learnWrite(attempt, write);
    }
    if (!outcome.ok) this.#learnRefusal(call, outcome.error);
    if (attempt === undefined) return;
    if (call.method === 'get') learnRead(attempt, call, outcome);
    if (call.method === 'list') learnPage(attempt, call, outcome);
  }

  #writeOf(call: ObservedCall, answer: unknown): ObjectWrite | undefined {
    if (!['create', 'patch', 'delete'].includes(call.method)) return undefined;
    const named = namedObject(call);
    if (named === undefined) return undefined;
    const { kind, namespace, name } = named;
    const before = this.#before.get(call);
    return {
      call,
      kind,
      namespace,
      name,
      before,
      after: this.#cluster.find(kind, named),
      answer: answer as KubeObject | undefined,
    };
  }

  #tell(what: (invariant: Invariant) => void): void {
    for (const invariant of this.#invariants) what(invariant);
  }
}
