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
  /** The cluster cannot keep the counter: the namespace is missing, or leases are forbidden. */
  | { readonly type: 'unavailable'; readonly why: string };

/**
 * Detects a restored cluster by a counter in a Lease of the relay. The relay raises the counter every few minutes,
 * first in the table and then in the cluster. It also records in the table the count that the cluster has
 * shown last. A cluster that shows a lower count than that was restored from a backup. A count that the cluster never showed,
 * because its relay died or has no permission to write, is no evidence. The relay writes such a count again, and does
 * not raise it before the cluster shows it.
 * ```
 * table     raise to 8             record that 8 was seen
 * cluster                write 8
 *           ---- 7 or 8 is right --|-- less than 8 shows a restore --
 * ```
 * A table with a lower count than the cluster is older than it was: it was restored, or replaced by an older file. That
 * starts a new incarnation too. A relay that runs during that may keep its hold. It detects the older table at its next
 * raise, which returns a count that it had reached before.
 * When the Lease is missing although the table has counted, that counts as a restore to a time before the Lease
 * existed. If a person has deleted it, everything is reconciled once, which is safe. The Lease is created empty and
 * filled after the new incarnation started, so that a crash in between hides nothing. When it cannot be created, there
 * is no evidence, and other signs must be used (a list version below the checkpoint, the operator's command, resync);
 * that is logged.
 */
export class RestoreWitness {
  readonly #deps: RelayDependencies;
  readonly #options: Pick<RelayOptions, 'witness'>;
  readonly #hold: RelayHold;
  readonly #incarnation: Incarnation;
  readonly #annotation: string;
  /** The count in the table; undefined before it was read. */
  #counter: number | undefined;
  /**
   * The count that the cluster showed last. It is less than the count in the table until a raise has reached the
   * cluster.
   */
  #seen = 0;
  /** The same count, as the table has it. */
  #recorded = 0;
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
   * Reads the counter after the call was made. Many calls share one read. If it shows a restore, the incarnation has ended
   * when this resolves.
   * @throws ApiError when the cluster does not answer.
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
      const counter = this.#seen === this.#counter ? await this.#raiseInTable() : this.#counter;
      if (counter !== undefined) await this.#write(reading.lease, counter);
    });
  }

  /** Runs one after the other, even when the one before failed. */
  #queue(task: () => Promise<unknown>): Promise<void> {
    const done = this.#running
      .catch(() => {})
      .then(task)
      .then(() => {});
    this.#running = done;
    return done;
  }

  /** Undefined after a restore, because the restore was already handled. */
  async #compare(): Promise<Reading | undefined> {
    const counter = this.#counter ?? (await this.#readTable());
    const reading = await this.#read();
    this.#report(reading);
    if (reading.type === 'unavailable') return reading;
    // The table is checked first: if it has a lower count than its cluster, the table itself was replaced. An empty
    // table proves nothing.
    const isTableOlder = counter > 0 && reading.counter > Math.max(counter, this.#seen);
    const shown = isTableOlder ? reading.counter : Math.min(reading.counter, Math.max(counter, this.#seen));
    const isRestored = shown < this.#seen;
    if (isRestored || isTableOlder) {
      const evidence = isTableOlder
        ? `its restore counter is ${shown}, and the table's is ${counter}: the table was restored`
        : `its restore counter is ${shown}, and ${this.#seen} was reached`;
      await this.#incarnation.end(this.#incarnation.current, evidence);
    }
    this.#seen = shown;
    await this.#record();
    if (!isRestored && !isTableOlder) return reading;
    // The table's count is right, and the cluster gets it again at once.
    await this.#write(reading.lease, counter);
    return undefined;
  }

  async #readTable(): Promise<number> {
    const { restoreCounter, restoreCounterSeen } = await this.#deps.store.readCluster(this.#deps.cluster);
    this.#counter = restoreCounter;
    this.#seen = restoreCounterSeen;
    this.#recorded = restoreCounterSeen;
    return restoreCounter;
  }

  async #raiseInTable(): Promise<number | undefined> {
    const raised = await this.#deps.store.raiseRestoreCounter(this.#deps.cluster, this.#hold.epoch, this.#seen);
    if (raised === undefined) this.#hold.lose('its epoch is not the newest');
    else {
      await this.#checkTable(raised);
      this.#counter = raised;
    }
    return raised;
  }

  /**
   * An older table may have replaced the one in which this relay raised the count: its hold may be the same, but its
   * count is lower.
   */
  async #checkTable(raised: number): Promise<void> {
    if (this.#counter === undefined || raised > this.#counter) return;
    const evidence = `the table's restore counter is ${raised}, and ${this.#counter} was reached: the table was restored`;
    await this.#incarnation.end(this.#incarnation.current, evidence);
  }

  /**
   * Records in the table the count that the cluster shows, so that the next relay finds the same restores, and each
   * only once.
   */
  async #record(): Promise<void> {
    const seen = this.#seen;
    if (seen === this.#recorded) return;
    const recorded = await this.#deps.store.recordRestoreCounter(this.#deps.cluster, this.#hold.epoch, seen);
    if (recorded) this.#recorded = seen;
    else this.#hold.lose('its epoch is not the newest');
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
    } catch (error) {
      if (!isApiError(error, 'Conflict', 'NotFound', 'Forbidden')) throw error;
      this.#deps.logger.error('the restore counter could not be raised in the cluster and will be tried again', error);
      return;
    }
    this.#seen = counter;
    await this.#record();
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

  /** Logs once for each change of the state, not for each try. */
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
