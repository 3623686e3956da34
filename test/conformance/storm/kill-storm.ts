import { join } from 'node:path';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { SeededEntropy } from '../../../lib/testing/seeded-entropy.ts';
import { queryFile } from '../../adapters/sqlite/test-state.ts';
import { Contracts } from '../../e2e/support/contracts.ts';
import { EvenkeelFolder, type EvenkeelProcess } from '../../e2e/support/evenkeel-process.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { createNamespace } from '../../e2e/support/prepare-user-cluster.ts';
import type { AuditEntry, AuditMark } from '../../real-apiserver/audit-log.ts';
import { isOurs, type RealCluster, toRequest } from '../real-cluster.ts';
import { needlessPasses, printedPasses, type UserWrite, userWrites } from './needless-passes.ts';
import { recomputedFaults } from './recomputed-faults.ts';
import { UserStorm } from './user-storm.ts';

const SEED = 20_261_130;
const NAMESPACES = ['storm-0', 'storm-1'];
const CONTRACTS_A_NAMESPACE = 150;
const EDITS_A_SECOND = 40;
const USERS_AT_ONCE = 20;
/**
 * The number of edits in a round: before the kill, while nothing runs, and after the ready line. They take about 10 s.
 */
const EDITS = { before: 240, down: 80, after: 80 };
const CONTRACTS = 'secretcontracts.evenkeel.dev';
/** Below the time limit of the test, so that the error contains what was still wrong. */
const CALM_LIMIT_MS = 100_000;

/** What happened at a restart, from the API server's audit log and from the passes that the processes printed. */
export interface KillRound {
  /** How each kind was listed since the previous round: `limit 1`, or a higher limit for a list of the objects. */
  readonly lists: Readonly<Record<string, string[]>>;
  /** Requests for contracts and Secrets that no user wrote in this round. */
  readonly requestsForUntouched: string[];
  /** Passes that found nothing new. */
  readonly needless: string[];
  readonly deadLetters: number;
}

/**
 * Users who edit contracts without a pause, and one `evenkeel start` with all parts. The test kills the process in the
 * middle and starts it again in the same state directory.
 */
export class KillStorm implements AsyncDisposable {
  readonly folder = new EvenkeelFolder();
  readonly #cluster: RealCluster;
  readonly #users: readonly Contracts[];
  readonly #sentinel: Contracts;
  readonly #storm: UserStorm;
  #options: readonly string[] = [];
  #process: EvenkeelProcess | undefined;
  readonly #writes: UserWrite[] = [];
  #mark: AuditMark | undefined;
  #sentinelKeys = ['one'];
  #calmMs: number[] = [];

  constructor(cluster: RealCluster) {
    this.#cluster = cluster;
    this.#users = NAMESPACES.map((namespace) => new Contracts(cluster.user, namespace));
    this.#sentinel = new Contracts(cluster.user, 'sentinel');
    this.#storm = new UserStorm(this.#users, CONTRACTS_A_NAMESPACE, new SeededEntropy(SEED));
  }

  /** Starts evenkeel with these options, and waits until the status of every new contract is correct. */
  async begin(options: readonly string[]): Promise<void> {
    this.#options = options;
    this.#mark = await this.#cluster.server.auditMark();
    for (const namespace of [...NAMESPACES, this.#sentinel.namespace]) {
      await createNamespace(this.#cluster.user, namespace);
    }
    await this.#storm.create(USERS_AT_ONCE);
    await this.#sentinel.createSecret('last', { one: 'x' });
    await this.#sentinel.createContract('last', this.#sentinelKeys);
    this.#process = await this.folder.start(this.#options);
    await this.#calm();
    await this.#newEntries();
  }

  /**
   * Kills the process during the edits, starts it again while they continue, and waits until every status is correct.
   */
  async killOnce(): Promise<KillRound> {
    const untouched = new Set(await this.#contractNames());
    let isOver = false;
    const act = async () => {
      try {
        await this.#edited(EDITS.before);
        await this.#process?.kill();
        await this.#edited(EDITS.down);
        this.#process = await this.folder.start(this.#options);
        await this.#edited(EDITS.after);
      } finally {
        isOver = true;
      }
    };
    await Promise.all([this.#storm.blow(EDITS_A_SECOND, USERS_AT_ONCE, () => isOver), act()]);
    await this.#calm();

    const { entries, writes } = await this.#newEntries();
    for (const { namespace, name } of writes) untouched.delete(`${namespace}/${name}`);
    const lines = this.folder.processes.flatMap(({ outLines }) => outLines);
    return {
      lists: listsOf(entries),
      requestsForUntouched: requestsFor(untouched, entries),
      needless: needlessPasses(printedPasses(lines), this.#writes),
      deadLetters: this.#rows('dead_letter'),
    };
  }

  /** The API server's records since the last call. Nobody writes while they are read. */
  async #newEntries(): Promise<{ readonly entries: AuditEntry[]; readonly writes: UserWrite[] }> {
    const { server } = this.#cluster;
    const entries = await server.auditEntries(this.#mark);
    this.#mark = await server.auditMark();
    const writes = userWrites(entries);
    this.#writes.push(...writes);
    return { entries, writes };
  }

  figures(): object {
    return { ...this.#storm.figures, contracts: NAMESPACES.length * CONTRACTS_A_NAMESPACE, calmMs: this.#calmMs };
  }

  /** Waits for this many more edits. */
  async #edited(count: number): Promise<void> {
    const { figures } = this.#storm;
    const wanted = figures.edits + count;
    await eventually(`${count} edits`, async () => (figures.edits >= wanted ? true : undefined));
  }

  /** Waits until every status is correct and no work is left. */
  async #calm(): Promise<void> {
    const clock = new SystemClock();
    const startMs = clock.monotonic();
    let last: string[] = [];
    const areRight = async () => {
      const found = NAMESPACES.map((namespace) => recomputedFaults(this.#cluster.user, namespace));
      last = (await Promise.all(found)).flat();
      return last.length === 0 ? true : undefined;
    };
    await eventually('right statuses', areRight, CALM_LIMIT_MS).catch((cause: unknown) => {
      const told = this.#process?.errLines.slice(-10) ?? [];
      throw new Error([`${last.length} statuses are wrong`, ...last.slice(0, 3), ...told].join('\n'), { cause });
    });
    this.#calmMs.push(Math.round(clock.monotonic() - startMs));
    await this.#passSentinel();
    await eventually(
      'an empty queue',
      async () => (this.#rows('fifo_message') === 0 ? true : undefined),
      CALM_LIMIT_MS,
    );
  }

  /**
   * Events of one kind arrive in order. So when the last edit of both kinds was handled, all earlier ones were sent.
   */
  async #passSentinel(): Promise<void> {
    this.#sentinelKeys = this.#sentinelKeys.length === 1 ? ['one', 'two'] : ['one'];
    await this.#sentinel.patchSecret('last', { two: `${this.#calmMs.length}` });
    await this.#sentinel.patchContract('last', this.#sentinelKeys);
    await this.#sentinel.becomes('last', 'True AllSatisfied', CALM_LIMIT_MS);
  }

  async #contractNames(): Promise<string[]> {
    const namesOf = async ({ namespace }: Contracts) => {
      const { items } = await this.#cluster.user.list(SecretContracts, { namespace });
      return items.map(({ metadata }) => `${namespace}/${metadata.name}`);
    };
    return (await Promise.all(this.#users.map(namesOf))).flat();
  }

  #rows(table: string): number {
    const path = join(this.folder.path, '.evenkeel', 'evenkeel.db');
    return Number(queryFile(path, `SELECT count(*) AS count FROM ${table}`)[0]?.count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}

/** How evenkeel listed each kind: the distinct limits of its requests. */
function listsOf(entries: readonly AuditEntry[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const entry of entries) {
    if (!isOurs(entry) || entry.verb !== 'list') continue;
    const { searchParams } = new URL(entry.requestURI, 'https://localhost');
    const shown = `limit ${searchParams.get('limit')}${searchParams.has('continue') ? ', next page' : ''}`;
    const { resource } = toRequest(entry);
    lists[resource] = [...new Set([...(lists[resource] ?? []), shown])];
  }
  return lists;
}

function requestsFor(untouched: ReadonlySet<string>, entries: readonly AuditEntry[]): string[] {
  return entries.filter(isOurs).flatMap((entry) => {
    const { verb, resource, namespace, name } = toRequest(entry);
    const isPair = resource === 'secrets' || resource.startsWith(CONTRACTS);
    return isPair && untouched.has(`${namespace}/${name}`) ? [`${verb} ${resource} ${namespace}/${name}`] : [];
  });
}
