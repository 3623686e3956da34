import type { Clock } from '../../ports/clock.ts';
import type { Gate, GateVerdict } from '../breaker/cluster-gate.ts';
import { DeploymentConflictError, DeploymentHandoverError } from './deployment-error.ts';
import type { DeploymentGuard } from './deployment-guard.ts';

/** How long a pass is put off by default if another deployment drives the group, and if the Lease could not be read. */
const CONFLICT_MS = 60_000;
const UNREAD_MS = 5_000;
const TAKING_OVER = 'this deployment is taking over: passes of the one before may not have ended';
const UNREAD = 'the cluster does not say which deployment drives it';
/** An unreadable Lease is logged at this interval, not for every pass. */
const TELL_EVERY_MS = 30_000;

/** A gate that checks before each pass whether this deployment drives the group. */
export class GuardedGate implements Gate {
  readonly #gate: Gate;
  readonly #guard: Pick<DeploymentGuard, 'assertOurs'>;
  readonly #clock: Clock;
  readonly #onConflict: (error: DeploymentConflictError) => void;
  readonly #onUnread: (error: unknown) => void;
  readonly #conflictMs: number;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param onConflict called each time another deployment is found to drive the group.
   * @param onUnread called when the Lease could not be read.
   * @param conflictMs how long a pass is put off if another deployment drives the group.
   */
  constructor(
    gate: Gate,
    guard: Pick<DeploymentGuard, 'assertOurs'>,
    clock: Clock,
    onConflict: (error: DeploymentConflictError) => void,
    onUnread: (error: unknown) => void = () => {},
    conflictMs = CONFLICT_MS,
  ) {
    this.#gate = gate;
    this.#guard = guard;
    this.#clock = clock;
    this.#onConflict = onConflict;
    this.#onUnread = onUnread;
    this.#conflictMs = conflictMs;
  }

  /** Checks the cluster's own gate first, so that no Lease of a paused or dead cluster is read. */
  async check(cluster: string): Promise<GateVerdict> {
    const verdict = await this.#gate.check(cluster);
    if (!verdict.open) return verdict;
    try {
      await this.#guard.assertOurs();
      return verdict;
    } catch (error) {
      return await this.#refuse(cluster, error);
    }
  }

  succeeded(cluster: string): Promise<void> {
    return this.#gate.succeeded(cluster);
  }

  failed(cluster: string, error: unknown): Promise<void> {
    return this.#gate.failed(cluster, error);
  }

  async #refuse(cluster: string, error: unknown): Promise<GateVerdict> {
    const nowMs = this.#clock.now();
    if (error instanceof DeploymentHandoverError) {
      return { open: false, reason: 'AnotherDeployment', untilMs: error.readyAtMs, detail: TAKING_OVER };
    }
    if (error instanceof DeploymentConflictError) {
      this.#onConflict(error);
      return { open: false, reason: 'AnotherDeployment', untilMs: nowMs + this.#conflictMs };
    }
    // Without an answer no pass may start. Report it to the cluster's gate, so that a dead cluster opens its breaker.
    await this.#gate.failed(cluster, error);
    const atMs = this.#clock.monotonic();
    if (atMs - this.#toldAtMs >= TELL_EVERY_MS) {
      this.#toldAtMs = atMs;
      this.#onUnread(error);
    }
    return { open: false, reason: 'ClusterUnreachable', untilMs: nowMs + UNREAD_MS, detail: UNREAD };
  }
}
