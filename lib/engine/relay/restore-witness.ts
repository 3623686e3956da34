import { sha256Hex } from '../../core/hash.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { kubeMicroTime } from '../../core/micro-time.ts';
import { apiVersion, Leases } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import type { Incarnation } from './incarnation.ts';
import type { RelayHold } from './relay-hold.ts';
import type { RelayDependencies, RelayOptions } from './relay-options.ts';

export const RESTORE_COUNTER_ANNOTATION = 'evenkeel.dev/restore-counter';

/** The annotation that holds the counter of one deployment. */
export function restoreCounterAnnotation(deployment: string | undefined): string {
  return deployment === undefined
    ? RESTORE_COUNTER_ANNOTATION
    : `${RESTORE_COUNTER_ANNOTATION}.${sha256Hex(deployment).slice(0, 12)}`;
}

const FIELD_MANAGER = 'evenkeel-relay';

type Reading =
  | { readonly type: 'read'; readonly counter: number; readonly lease: KubeObject }
  /** The cluster keeps no counter for us: its namespace is missing, or leases are forbidden. */
  | { readonly type: 'unavailable'; readonly why: string };

/**
 * Tells a restored cluster by a counter in a Lease of the relay's own. The counter is raised every few minutes, in the
 * table first and then in the cluster, so the cluster's lags by one at most while a raise is under way; a cluster that
 * shows less than it must was restored from a backup.
 *
 * A Lease that is missing although the table has counted is taken for a restore to before it existed: a person who
 * deletes it makes everything reconcile once, which is safe. It is created empty first and filled after the new
 * incarnation began, so that a crash in between hides nothing. Where it cannot be created, there is no evidence, and
 * other signs must do (a list version below the checkpoint, the operator's command, resync); that is logged.
 */
export class RestoreWitness {
  readonly #deps: RelayDependencies;
  readonly #options: Pick<RelayOptions, 'witness'>;
  readonly #hold: RelayHold;
  readonly #incarnation: Incarnation;
  readonly #annotation: string;
  /** What the cluster's counter was last known to have reached; undefined until the table was read. */
  #reached: number | undefined;
  /** Raised in the table, not yet seen in the cluster. */
  #pending: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #unavailable = '';

  constructor(
    deps: RelayDependencies,
    options: Pick<RelayOptions, 'witness'>,
    hold: RelayHold,
    incarnation: Incarnation,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#hold = hold;
    this.#incarnation = incarnation;
    this.#annotation = restoreCounterAnnotation(options.witness.deployment);
  }

  /**
   * Reads the counter after the call was made; many calls share one reading. When it tells of a restore, the incarnation
   * has ended by the time this resolves.
   * @throws ApiError when the cluster does not say.
   */
  check(): Promise<void> {
    this.#next ??= this.#queue(() => {
      this.#next = undefined;
      return this.#compare();
    });
    return this.#next;
  }

  /** Raises the counter, in the table and then in the cluster. */
  raise(): Promise<void> {
    return this.#queue(async () => {
      const reading = await this.#compare();
      if (reading?.type !== 'read') return;
      this.#pending ??= await this.#raiseInTable();
      if (this.#pending !== undefined) await this.#write(reading.lease, this.#pending);
    });
  }

  /** One after the other, whatever became of the one before. */
  #queue(task: () => Promise<unknown>): Promise<void> {
    const done = this.#running
      .catch(() => {})
      .then(task)
      .then(() => {});
    this.#running = done;
    return done;
  }

  /** Undefined after a restore: what was read is dealt with. */
  async #compare(): Promise<Reading | undefined> {
    if (this.#reached === undefined) {
      const { restoreCounter } = await this.#deps.store.readCluster(this.#deps.cluster);
      this.#reached = restoreCounter;
    }
    const reading = await this.#read();
    this.#report(reading);
    if (reading.type === 'unavailable' || reading.counter >= this.#reached) return reading;
    const evidence = `its restore counter is ${reading.counter}, and ${this.#reached} was reached`;
    await this.#incarnation.end(this.#incarnation.current, evidence);
    // The table's count stands: it is written next, so that the next relay does not find the same restore again.
    this.#pending ??= this.#reached;
    this.#reached = reading.counter;
    await this.#write(reading.lease, this.#pending);
    return undefined;
  }

  async #raiseInTable(): Promise<number | undefined> {
    const raised = await this.#deps.store.raiseRestoreCounter(this.#deps.cluster, this.#hold.epoch);
    if (raised === undefined) this.#hold.lose('its epoch is not the newest');
    return raised;
  }

  async #write(lease: KubeObject, counter: number): Promise<void> {
    this.#hold.assertHeld();
    const { uid, resourceVersion } = lease.metadata;
    const patch = {
      metadata: { uid, resourceVersion, annotations: { [this.#annotation]: String(counter) } },
      spec: { renewTime: kubeMicroTime(this.#deps.clock.now()) },
    };
    const options = { fieldManager: FIELD_MANAGER, signal: this.#hold.signal };
    try {
      await this.#deps.api.patch(Leases, this.#options.witness, { type: 'merge', patch }, options);
      this.#reached = counter;
      this.#pending = undefined;
    } catch (error) {
      if (!isApiError(error, 'Conflict', 'NotFound', 'Forbidden')) throw error;
      this.#deps.logger.error('the restore counter could not be raised in the cluster and will be tried again', error);
    }
  }

  async #read(): Promise<Reading> {
    const { signal } = this.#hold;
    try {
      const lease = await this.#deps.api.get(Leases, this.#options.witness, { metadataOnly: true, signal });
      return { type: 'read', counter: this.#counterOf(lease), lease };
    } catch (error) {
      if (isApiError(error, 'NotFound')) return await this.#create();
      if (isApiError(error, 'Forbidden', 'KindMissing')) return { type: 'unavailable', why: error.reason };
      throw error;
    }
  }

  async #create(): Promise<Reading> {
    const { namespace, name } = this.#options.witness;
    const blank = {
      apiVersion: apiVersion(Leases),
      kind: Leases.kind,
      metadata: { name, namespace },
      spec: { holderIdentity: FIELD_MANAGER },
    };
    try {
      const options = { fieldManager: FIELD_MANAGER, signal: this.#hold.signal };
      const lease = await this.#deps.api.create(Leases, blank, options);
      return { type: 'read', counter: this.#counterOf(lease), lease };
    } catch (error) {
      if (isApiError(error, 'NotFound')) return { type: 'unavailable', why: `namespace ${namespace} does not exist` };
      if (isApiError(error, 'Forbidden', 'KindMissing')) return { type: 'unavailable', why: error.reason };
      throw error;
    }
  }

  /** Once for each change, not for each try. */
  #report(reading: Reading): void {
    const why = reading.type === 'unavailable' ? reading.why : '';
    if (why === this.#unavailable) return;
    this.#unavailable = why;
    const { namespace, name } = this.#options.witness;
    if (why === '') {
      this.#deps.logger.info('the restore counter can be kept again', { namespace, name });
    } else {
      this.#deps.logger.warn(
        'the relay cannot keep its restore counter, so a restored cluster may go unnoticed until resync: create the namespace and allow get, create and patch of leases in it',
        { namespace, name, why },
      );
    }
  }

  /** A Lease without a readable count counts as never raised. */
  #counterOf(lease: KubeObject): number {
    const text = lease.metadata.annotations?.[this.#annotation] ?? '';
    return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
  }
}
