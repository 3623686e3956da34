import { EvenkeelError } from '../../lib/core/errors.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Logger } from '../../lib/ports/logger.ts';
import type { Metrics } from '../../lib/ports/metrics.ts';
import type { Parameter, ParameterStore } from '../../lib/ports/parameter-store.ts';
import { clusterNameOf } from './cluster-parameter.ts';

/** A cluster of the deployment. One that cannot be reached as its parameter says is there all the same, with the reason. */
export interface ClusterEntry<Opened> {
  readonly name: string;
  readonly opened: Opened;
  readonly fault?: EvenkeelError;
}

export interface ClusterDirectoryOptions<Opened> {
  readonly parameters: ParameterStore;
  /** Each parameter directly under it is a cluster. */
  readonly path: string;
  /** @throws EvenkeelError for a parameter that cannot be used. */
  readonly open: (parameter: Parameter) => Opened;
  /** What stands for a cluster whose parameter cannot be used. */
  readonly openFaulty: (name: string, fault: EvenkeelError) => Opened;
  readonly close: (opened: Opened) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long the list is believed; a minute by default. */
  readonly ttlMs?: number;
}

const TTL_MS = 60_000;
/** A cluster that nobody has heard of may have been added a moment ago: it is looked for at most this often. */
const UNKNOWN_TTL_MS = 5_000;

/** The clusters of a deployment: one parameter each, read anew once a minute, so that adding one needs no deployment. */
export class ClusterDirectory<Opened> {
  readonly #options: ClusterDirectoryOptions<Opened>;
  readonly #entries = new Map<string, ClusterEntry<Opened> & { readonly value: string }>();
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClusterDirectoryOptions<Opened>) {
    this.#options = options;
  }

  get(name: string): ClusterEntry<Opened> | undefined {
    return this.#entries.get(name);
  }

  all(): ClusterEntry<Opened>[] {
    return [...this.#entries.values()];
  }

  /**
   * Reads the list again when it is old, or, if one of these clusters is not in it, when it is not quite new. What cannot
   * be read leaves the list as it was.
   * @throws InfrastructureError when there is no list yet.
   */
  async refresh(wanted: Iterable<string> = []): Promise<void> {
    const { parameters, path, clock, logger, ttlMs = TTL_MS } = this.#options;
    const ageMs = Math.abs(clock.now() - this.#readAtMs);
    const isMissing = [...wanted].some((name) => !this.#entries.has(name));
    if (ageMs < (isMissing ? UNKNOWN_TTL_MS : ttlMs)) return;
    let list: Parameter[];
    try {
      list = await parameters.list(path);
    } catch (error) {
      if (this.#readAtMs === Number.NEGATIVE_INFINITY) throw error;
      logger.error('the list of clusters could not be read; the one before is used', error, { path });
      return;
    }
    this.#readAtMs = clock.now();
    await this.#adopt(list);
  }

  async #adopt(list: readonly Parameter[]): Promise<void> {
    const listed = new Map(list.map((parameter) => [clusterNameOf(parameter), parameter]));
    for (const [name, { value, opened }] of this.#entries) {
      if (listed.get(name)?.value === value) continue;
      this.#entries.delete(name);
      await this.#options.close(opened);
    }
    for (const [name, parameter] of listed) {
      if (!this.#entries.has(name)) this.#entries.set(name, { ...this.#open(name, parameter), value: parameter.value });
      const fault = this.#entries.get(name)?.fault;
      if (fault !== undefined) {
        this.#options.logger.error('a cluster cannot be used', fault, { cluster: name });
        this.#options.metrics.record('ClusterRefused', 1, { Cluster: name, Reason: fault.code });
      }
    }
  }

  #open(name: string, parameter: Parameter): ClusterEntry<Opened> {
    try {
      return { name, opened: this.#options.open(parameter) };
    } catch (error) {
      if (!(error instanceof EvenkeelError)) throw error;
      return { name, opened: this.#options.openFaulty(name, error), fault: error };
    }
  }
}
