import { EvenkeelError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Parameter, ParameterStore } from '../../ports/parameter-store.ts';
import { clusterNameOf } from './cluster-parameter.ts';

/** A cluster of the deployment. If its parameter cannot be used, the entry has the reason. */
export interface ClusterEntry<Opened> {
  readonly name: string;
  readonly opened: Opened;
  readonly fault?: EvenkeelError;
}

export interface ClusterDirectoryOptions<Opened> {
  readonly parameters: ParameterStore;
  /** Each parameter directly below this path is a cluster. */
  readonly path: string;
  /** @throws EvenkeelError for a parameter that cannot be used. */
  readonly open: (parameter: Parameter) => Opened;
  /** Creates the replacement for a cluster whose parameter cannot be used. */
  readonly openFaulty: (name: string, fault: EvenkeelError) => Opened;
  readonly close: (opened: Opened) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How long the list is used before it is read again; a minute by default. */
  readonly ttlMs?: number;
}

const TTL_MS = 60_000;
/**
 * The tolerated difference of clocks. A list that was read this long after a message about a cluster must contain the
 * cluster.
 */
const CLOCKS_DIFFER_MS = 2_000;
/**
 * For a cluster that is not in it, a list older than this is read again, whatever the clocks say, because one of them
 * may be wrong.
 */
const UNKNOWN_TTL_MS = 15_000;

/**
 * The clusters of a deployment. Each one is an SSM parameter. They are read again once a minute, so that a new cluster
 * needs no deployment.
 */
export class ClusterDirectory<Opened> {
  readonly #options: ClusterDirectoryOptions<Opened>;
  readonly #entries = new Map<string, ClusterEntry<Opened> & { readonly value: string }>();
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The same moment on the monotonic clock. */
  #readMonotonicMs = Number.NEGATIVE_INFINITY;
  #doubtful = new Set<string>();

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
   * Whether a cluster that is not in the list may exist: a message named it after the list was read, and the list could
   * not be read again.
   */
  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  /**
   * Reads the list again when it is old, or when a message about an unknown cluster was sent after it was read: the
   * cluster may be new. When the list cannot be read, the old one stays.
   * @param spokenOf when the last message about a cluster was sent, epoch ms, by the cluster's name.
   * @throws InfrastructureError when there is no list yet.
   */
  async refresh(spokenOf: ReadonlyMap<string, number> = new Map()): Promise<void> {
    const { parameters, path, clock, logger, ttlMs = TTL_MS } = this.#options;
    const ageMs = clock.monotonic() - this.#readMonotonicMs;
    const isNews = ([name, spokenMs]: [string, number]) =>
      !this.#entries.has(name) && (this.#readAtMs <= spokenMs + CLOCKS_DIFFER_MS || ageMs >= UNKNOWN_TTL_MS);
    const news = [...spokenOf].filter(isNews).map(([name]) => name);
    this.#doubtful = new Set();
    if (news.length === 0 && ageMs < ttlMs) return;
    const startedAtMs = clock.now();
    const startedMonotonicMs = clock.monotonic();
    let list: Parameter[];
    try {
      list = await parameters.list(path);
    } catch (error) {
      if (this.#readAtMs === Number.NEGATIVE_INFINITY) throw error;
      logger.error('the list of clusters could not be read; the previous list is used', error, { path });
      this.#doubtful = new Set(news);
      return;
    }
    this.#readAtMs = startedAtMs;
    this.#readMonotonicMs = startedMonotonicMs;
    await this.#adopt(list);
  }

  async #adopt(list: readonly Parameter[]): Promise<void> {
    const listed = new Map(list.map((parameter) => [clusterNameOf(parameter), parameter]));
    for (const [name, { value, opened }] of this.#entries) {
      if (listed.get(name)?.value === value) continue;
      this.#entries.delete(name);
      await this.#close(name, opened);
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
      const fault = error instanceof EvenkeelError ? error : unforeseen(name, error);
      return { name, opened: this.#options.openFaulty(name, fault), fault };
    }
  }

  /**
   * A failure is logged only. The connections then stay open until the process ends, and the other clusters are not
   * delayed.
   */
  async #close(name: string, opened: Opened): Promise<void> {
    try {
      await this.#options.close(opened);
    } catch (error) {
      this.#options.logger.error('the connections of a cluster could not be closed', error, { cluster: name });
    }
  }
}

/** The error has only the name of a foreign error. */
function unforeseen(cluster: string, error: unknown): EvenkeelError {
  const name = error instanceof Error ? error.name : typeof error;
  return new EvenkeelError('CLUSTER_UNUSABLE', `cluster ${cluster} cannot be used as its parameter says: ${name}`, {
    cause: error,
  });
}
