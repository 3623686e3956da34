import type { KubeObject } from '../../core/kube-object.ts';
import { kindId } from '../../core/resource-type.ts';
import type { TargetKey } from '../../core/target.ts';
import { Bounds, ELSEWHERE, isPaused } from './bounds.ts';
import { Backlog } from './invariants/backlog.ts';
import { ClockDelays } from './invariants/clock-delays.ts';
import { Deadlines } from './invariants/deadlines.ts';
import { Deletions } from './invariants/deletions.ts';
import { Evidence } from './invariants/evidence.ts';
import { Finalizers } from './invariants/finalizers.ts';
import { ForeignConditions } from './invariants/foreign-conditions.ts';
import { GuardedWrites } from './invariants/guarded-writes.ts';
import { Isolation } from './invariants/isolation.ts';
import { Leases } from './invariants/leases.ts';
import { Ledger } from './invariants/ledger.ts';
import { Messages } from './invariants/messages.ts';
import { Pace } from './invariants/pace.ts';
import { keyOf, type TargetRecord, targetKey } from './invariants/pass-record.ts';
import { Progress } from './invariants/progress.ts';
import { Silence } from './invariants/silence.ts';
import { UndoneWrites } from './invariants/undone-writes.ts';
import { Untouched } from './invariants/untouched.ts';
import type { Report, Violation } from './invariants/violation.ts';
import { Wakeups } from './invariants/wakeups.ts';
import { WrongResultsCount } from './invariants/wrong-results.ts';
import { LATEST_RESYNC } from './plan.ts';
import type { Simulation } from './simulation.ts';
import type { ClusterView, Fault, Workload } from './workload.ts';

/** The longest allowed delay of a timer: the sweep must find it, and its pass takes time. */
const LATE_MS = 90_000;

export interface CheckerOptions {
  /** Whether clocks stay within the tolerated skew. If not, times cannot be checked. */
  readonly clocksAreRight: boolean;
}

interface ManagedTarget {
  readonly what: string;
  readonly uid: string;
  readonly object: KubeObject;
  readonly finalizer: string | undefined;
  readonly last: TargetRecord['lastCommit'];
}

/** All invariants over one simulation. Their findings are in `violations`, in the order in which they showed. */
export class Checkers {
  readonly violations: Violation[] = [];
  readonly ledger: Ledger;
  readonly silence: Silence;
  readonly deadlines: Deadlines;
  readonly messages: Messages;
  readonly isolation: Isolation;
  readonly wrongResults: WrongResultsCount;
  readonly clockDelays: ClockDelays;
  readonly undoneWrites = new UndoneWrites();
  readonly #wakeups: Wakeups;
  readonly #untouched: Untouched;
  readonly #bounds: Bounds;
  readonly #clocksAreRight: boolean;
  readonly #simulation: Simulation;
  readonly #workloads: readonly Workload[];
  readonly #view: ClusterView;

  constructor(simulation: Simulation, workloads: readonly Workload[], { clocksAreRight }: CheckerOptions) {
    const { cluster, scheduler, store, passOptions, registry } = simulation;
    this.#simulation = simulation;
    this.#clocksAreRight = clocksAreRight;
    this.#bounds = new Bounds(passOptions.scope);
    this.#workloads = workloads;
    const now = () => scheduler.now();
    const report: Report = (invariant, what) =>
      this.violations.push({ invariant, what, atMs: scheduler.now(), step: scheduler.steps });
    const recordOf = (target: { kind: string; uid: string }) => this.ledger.targets.get(targetKey(target));
    this.#wakeups = new Wakeups(report, cluster, store);
    this.#untouched = new Untouched(report, cluster, registry.controllers, this.#bounds);
    this.silence = new Silence(report, now, this.undoneWrites);
    const isRestless = ({ uid }: { uid: string }) => this.restless().some(({ metadata }) => metadata.uid === uid);
    const epochOf = ({ uid }: TargetKey) => store.contents().targets.find(({ target }) => target.uid === uid)?.epoch;
    const reportTimes = clocksAreRight ? report : () => {};
    this.deadlines = new Deadlines(reportTimes, passOptions.timings, now, isRestless, epochOf);
    this.messages = new Messages(report, epochOf);
    this.isolation = new Isolation(report, now);
    this.clockDelays = new ClockDelays(report, passOptions.timings, now);
    const holderOf = ({ target }: { target: TargetKey }) => recordOf(target)?.holder;
    this.wrongResults = new WrongResultsCount(report, now, (target) => recordOf(target)?.holder);
    const evidence = workloads.flatMap((workload) => workload.evidence ?? []);
    const finalized = workloads.flatMap((workload) => workload.finalized ?? []);
    const timings = clocksAreRight
      ? passOptions.timings
      : { ...passOptions.timings, clockSkewMs: 1_000_000, mutationMarginMs: -1_000_000 };
    this.ledger = new Ledger(cluster, now, [
      new Leases(report, timings, holderOf, () => simulation.olderTables),
      this.#wakeups,
      new GuardedWrites(report, () => simulation.restores > 0),
      new Evidence(report, evidence),
      this.silence,
      new Finalizers(report, cluster, registry.controllers, finalized),
      this.isolation,
      new Deletions(report, cluster, registry.controllers),
      new Pace(reportTimes, passOptions, now, (target) => recordOf(target)?.crashes ?? 0),
      this.deadlines,
      this.messages,
      this.#untouched,
      new ForeignConditions(report),
      new Progress(report, registry.controllers),
      this.wrongResults,
      this.clockDelays,
      // Without fewAreMany, each edit sends a message to each reader, and the messages may grow with the edits.
      ...(simulation.fewAreMany && workloads.some(({ crowd }) => crowd === true)
        ? [new Backlog(report, simulation.queues)]
        : []),
    ]);
    this.#view = this.#viewOf(simulation);
    simulation.observer = this.ledger;
    simulation.onOutside = ({ object, what }) => {
      if (workloads.some(({ restless }) => restless?.(object) === true)) return;
      const cause = 'a timer, fetch or crypto of its own, or what never comes';
      report('OUTSIDE', `${what} waits for something outside of the simulation: ${cause}`);
    };
  }

  #viewOf(simulation: Simulation): ClusterView {
    const { cluster, scheduler } = simulation;
    return {
      get nowMs() {
        return scheduler.now();
      },
      get restored() {
        return simulation.restores > 0;
      },
      get: (type, name) => cluster.get(type, name),
      list: (type, namespace) => cluster.list(type, namespace).filter((object) => !this.#isElsewhere(object)),
    };
  }

  /** Everything that is not as it must be at rest; empty once all has converged. */
  unrest(): Fault[] {
    const faults = this.unseen();
    if (faults.length > 0) return faults;
    const complaints = this.#workloads
      .flatMap((workload) => workload.check?.(this.#view) ?? [])
      .map((fault): Fault => (typeof fault === 'string' ? { invariant: 'CHECK', what: fault } : fault));
    // A pass that failed may not have read everything, so it is not known yet whether it has to change something.
    return [...this.#failing(Number.NEGATIVE_INFINITY), ...complaints];
  }

  /** Changes that no pass has seen yet, and passes that still run. The results of the passes do not count. */
  unseen(): Fault[] {
    const faults: Fault[] = [];
    const restless = new Set(this.restless().map(({ metadata }) => metadata.uid));
    for (const [group, lanes] of Object.entries(this.#simulation.queues)) {
      for (const [lane, queue] of Object.entries(lanes)) {
        const left = queue.messages().filter(({ body }) => ![...restless].some((uid) => body.includes(uid)));
        const [first] = left;
        if (first === undefined) continue;
        const what = `${left.length} messages are on the ${lane} queue of ${group}, the first is ${first.body}`;
        faults.push({ invariant: 'I12', what });
      }
    }
    const { targets } = this.#simulation.store.contents();
    for (const { target, lease } of targets) {
      // An item of an object that is gone is a leftover, and is reported as one.
      if (lease === undefined || restless.has(target.uid) || !this.exists(target.kind, target.uid)) continue;
      faults.push(`${target.kind} ${target.name} is leased`);
    }
    if (faults.length > 0) return faults;
    const { controllers } = this.#simulation.registry;
    return this.#wakeups.unfollowed(controllers, this.ledger.targets, new Set([...restless, ...this.#leftOut()]));
  }

  /** Targets that had no pass for longer than their own resync timer allows. */
  unresynced(intervalMs: number): Fault[] {
    if (!this.#clocksAreRight) return [];
    const { scheduler, registry, cluster } = this.#simulation;
    const restless = new Set(this.restless().map(({ metadata }) => metadata.uid));
    const sinceMs = scheduler.now() - intervalMs * LATEST_RESYNC - LATE_MS;
    return registry.controllers.flatMap(({ type, onlyManaged = false }) =>
      cluster.list(kindId(type)).flatMap((object): Fault[] => {
        const { uid, name, deletionTimestamp } = object.metadata;
        const last = this.ledger.targets.get(targetKey({ kind: kindId(type), uid }))?.lastCommit;
        const isIdle = deletionTimestamp !== undefined || this.#bounds.leavesOut(object, onlyManaged);
        if (isIdle || restless.has(uid) || last === undefined || last.atMs >= sinceMs) return [];
        if (last.record.lastOutcome.type === 'retry') return [];
        const what = `${kindId(type)} ${name} had no pass for ${scheduler.now() - last.atMs} ms`;
        return [{ invariant: 'I11', what }];
      }),
    );
  }

  /**
   * Targets whose last pass failed, or that are still being deleted, although no fault has happened and nobody has
   * changed anything since this time.
   */
  stuck(sinceMs: number): Fault[] {
    return [...this.#failing(sinceMs), ...this.#staying()];
  }

  /** Targets whose last pass ended after this time and failed. */
  #failing(sinceMs: number): Fault[] {
    return this.#managed().flatMap(({ what, uid, last }): Fault[] => {
      if (last?.record.lastOutcome.type !== 'retry' || last.atMs < sinceMs) return [];
      const why = this.#simulation.failures.get(uid) ?? last.record.lastOutcome.message;
      return [{ invariant: 'STUCK', what: `${what} still fails, and nothing goes wrong: ${why}` }];
    });
  }

  /** Targets that are being deleted and do not wait for anything that users must do. */
  #staying(): Fault[] {
    return this.#managed().flatMap(({ what, uid, object, finalizer }): Fault[] => {
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      const stays = deletionTimestamp !== undefined && finalizer !== undefined && finalizers.includes(finalizer);
      if (!stays || this.#waits(object)) return [];
      const failure = this.#simulation.failures.get(uid);
      const why = failure === undefined ? '' : `: ${failure}`;
      return [{ invariant: 'STUCK', what: `${what} is still being deleted, and nothing goes wrong${why}` }];
    });
  }

  /** The targets that passes must bring to rest. */
  #managed(): ManagedTarget[] {
    const { registry, cluster } = this.#simulation;
    const restless = new Set(this.restless().map(({ metadata }) => metadata.uid));
    return registry.controllers.flatMap(({ type, finalizer, onlyManaged = false }) => {
      const kind = kindId(type);
      const managed = cluster
        .list(kind)
        .filter(
          (object) =>
            !restless.has(object.metadata.uid) && !isPaused(object) && !this.#bounds.leavesOut(object, onlyManaged),
        );
      return managed.map((object) => {
        const { uid, namespace = '', name } = object.metadata;
        const last = this.ledger.targets.get(targetKey({ kind, uid }))?.lastCommit;
        return { what: `${kind} ${namespace}/${name}`, uid, object, finalizer, last };
      });
    });
  }

  #waits(target: KubeObject): boolean {
    return this.#workloads.some(({ waits }) => waits?.(target, this.#view) === true);
  }

  /**
   * UIDs of objects that the engine must ignore: they never were in scope, or they were left out when their last pass
   * read them and still are.
   */
  #leftOut(): string[] {
    const { registry, cluster } = this.#simulation;
    return registry.controllers.flatMap(({ type, onlyManaged = false }) => {
      const kind = kindId(type);
      return cluster.list(kind).flatMap((object) => {
        const { uid, namespace = '', name } = object.metadata;
        if (this.#untouched.isNobodys(uid)) return [uid];
        if (onlyManaged || !this.#bounds.leavesOut(object, false)) return [];
        const read = this.ledger.targets
          .get(targetKey({ kind, uid }))
          ?.lastCommit?.attempt.latest.get(keyOf(kind, { namespace, name }));
        return read !== undefined && this.#bounds.leavesOut(read, false) ? [uid] : [];
      });
    });
  }

  #isElsewhere({ metadata }: KubeObject): boolean {
    return this.#bounds.scope.namespaces !== undefined && metadata.namespace === ELSEWHERE;
  }

  /** Whether an object of this kind and UID is in the cluster. */
  exists(kind: string, uid: string): boolean {
    return this.#simulation.cluster.list(kind).some(({ metadata }) => metadata.uid === uid);
  }

  /** @param about the invariant that a wrong state breaks here, if not the usual one. */
  report(fault: Fault, about?: Violation['invariant']): void {
    const { invariant: usual, what } = typeof fault === 'string' ? { invariant: 'I2' as const, what: fault } : fault;
    const isUnsaid = typeof fault === 'string' || usual === 'CHECK';
    const invariant = isUnsaid ? (about ?? usual) : usual;
    const { scheduler } = this.#simulation;
    this.violations.push({ invariant, what, atMs: scheduler.now(), step: scheduler.steps });
  }

  /** Targets that never come to rest. */
  restless(): KubeObject[] {
    return this.#workloads.flatMap((workload) => {
      const { restless } = workload;
      if (restless === undefined) return [];
      return this.#simulation.registry.controllers.flatMap(({ type }) =>
        this.#simulation.cluster.list(kindId(type)).filter(restless),
      );
    });
  }
}
