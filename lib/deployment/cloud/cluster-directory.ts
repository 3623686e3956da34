import { EvenkeelError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Parameter, ParameterStore } from '../../ports/parameter-store.ts';
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
/** By which clocks may differ: a list that was read this much later than somebody spoke of a cluster ought to hold it. */
const CLOCKS_DIFFER_MS = 2_000;
/** A list that is older is read again for a cluster that is not in it, whatever the clocks say: one of them may be wrong. */
const UNKNOWN_TTL_MS = 15_000;

/** The clusters of a deployment: one parameter each, read again once a minute, so that adding one needs no deployment. */
export class ClusterDirectory<Opened> {
  readonly #options: ClusterDirectoryOptions<Opened>;
  readonly #entries = new Map<string, ClusterEntry<Opened> & { readonly value: string }>();
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The same moment, by the monotonic clock. */
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
   * Whether the cluster is not in the list, and may yet be one: somebody spoke of it after the list was read, and it could
   * not be read again.
   */
  isDoubtful(name: string): boolean {
    return this.#doubtful.has(name);
  }

  /**
   * Reads the list again when it is old, or when somebody spoke of a cluster that is not in it after it was read: then it
   * was added a moment ago. What cannot be read leaves the list as it was.
   * @param spokenOf the time in epoch ms by the cluster's name.
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

  /** What cannot be closed holds connections until the process ends; the other clusters do not wait for it. */
  async #close(name: string, opened: Opened): Promise<void> {
    try {
      await this.#options.close(opened);
    } catch (error) {
      this.#options.logger.error('the connections of a cluster could not be closed', error, { cluster: name });
    }
  }
}

/** Of a foreign error no more than its name is told. */
function unforeseen(cluster: string, error: unknown): EvenkeelError {
  const name = error instanceof Error ? error.name : typeof error;
  return new EvenkeelError('CLUSTER_UNUSABLE', `cluster ${cluster} cannot be used as its parameter says: ${name}`, {
    cause: error,
  });
}
