import { EvenkeelError } from '../../core/errors.ts';
import type { RelayDependencies } from './relay-options.ts';

/**
 * The reason with which a connection of an older incarnation is aborted. The connection starts again with the new one.
 */
export class IncarnationChangedError extends EvenkeelError {
  constructor(cluster: string, current: number) {
    super('INCARNATION_CHANGED', `cluster ${cluster} is now at epoch ${current}: its kinds are listed again`);
  }
}

/**
 * The epoch of a cluster, as this relay knows it. It grows when the cluster was restored from a backup, or when an operator
 * asks for it. Then every connection of an older epoch is aborted, with all events that it has not sent or recorded.
 */
export class Incarnation {
  readonly #deps: Pick<RelayDependencies, 'cluster' | 'store' | 'logger' | 'metrics'>;
  #number: number;
  #change = new AbortController();

  constructor(deps: Pick<RelayDependencies, 'cluster' | 'store' | 'logger' | 'metrics'>, current: number) {
    this.#deps = deps;
    this.#number = current;
  }

  get current(): number {
    return this.#number;
  }

  /** Aborts, with an IncarnationChangedError, when the current incarnation ends. */
  get signal(): AbortSignal {
    return this.#change.signal;
  }

  /** Uses the value of the table. */
  adopt(number: number): void {
    if (number <= this.#number) return;
    this.#number = number;
    const before = this.#change;
    this.#change = new AbortController();
    before.abort(new IncarnationChangedError(this.#deps.cluster, number));
  }

  /**
   * A caller found the cluster restored while `from` was current. This starts a new incarnation, only once even if many
   * callers find it.
   */
  async end(from: number, evidence: string): Promise<void> {
    if (from !== this.#number) return;
    const started = await this.#deps.store.startIncarnation(this.#deps.cluster, from);
    if (from !== this.#number) return;
    this.#deps.metrics.record('ClusterRestored', 1, { Cluster: this.#deps.cluster });
    this.#deps.logger.warn(
      'the cluster, or the table, was restored from an older state: everything is listed and reconciled again',
      {
        evidence,
        incarnation: started,
      },
    );
    this.adopt(started);
  }
}
