import type { Clock } from '../../../lib/ports/clock.ts';

export interface Account {
  readonly id: string;
  /** The UID of its creator. */
  readonly owner: string;
  readonly plan: string;
  /** It is being removed: it is still found, and then it is gone. */
  readonly removing: boolean;
}

/**
 * An external system without conditional writes, in which a removal takes time. It records everything that must never
 * happen to it.
 */
export class AccountServer {
  readonly faults: string[] = [];
  /** Whether some of its answers arrive only after the pass that asked has ended. */
  isSlow = false;
  private readonly accounts = new Map<string, Account>();
  /** Accounts that a client has seen since their removal began. */
  private readonly shown = new Set<string>();
  private created = 0;

  all(): Account[] {
    return [...this.accounts.values()];
  }

  find(owner: string): Account | undefined {
    return this.all().find((account) => account.owner === owner);
  }

  /** As a client sees it. A removed account is shown once more, and is gone at the next read. */
  look(owner: string): Account | undefined {
    const account = this.find(owner);
    if (account?.removing !== true) return account;
    if (this.shown.has(account.id)) this.accounts.delete(account.id);
    this.shown.add(account.id);
    return this.find(owner) === undefined ? undefined : account;
  }

  create(owner: string, plan: string): Account {
    if (this.find(owner) !== undefined) this.faults.push(`a second account was created for ${owner}`);
    this.created += 1;
    const account = { id: `account-${this.created}`, owner, plan, removing: false };
    this.accounts.set(account.id, account);
    return account;
  }

  change(id: string, plan: string): Account {
    const account = this.accounts.get(id);
    if (account === undefined) throw new Error(`there is no account ${id}`);
    const changed = { ...account, plan };
    this.accounts.set(id, changed);
    return changed;
  }

  /** Somebody changes each account by hand. */
  drift(): void {
    for (const { id } of this.all()) this.change(id, 'drifted');
  }

  remove(id: string): void {
    const account = this.accounts.get(id);
    if (account !== undefined) this.accounts.set(id, { ...account, removing: true });
  }
}

/** Longer than a pass may take, and longer than its lease. */
const SLOW_MS = 45_000;
const SLOW_ONE_IN = 3;

/** Less than the mutation margin minus the clock skew: a request that is sent later could meet the next pass. */
const SEND_WITHIN_MS = 900;

/** The client of a process. A request that is not sent in time after the call is not sent at all. */
export class AccountClient {
  private readonly server: AccountServer;
  private readonly clock: Clock;
  private asked = 0;

  constructor(server: AccountServer, clock: Clock) {
    this.server = server;
    this.clock = clock;
  }

  async find(owner: string): Promise<Account | undefined> {
    const account = this.server.look(owner);
    this.asked += 1;
    if (this.server.isSlow && this.asked % SLOW_ONE_IN === 0) await this.clock.sleep(SLOW_MS);
    return account;
  }

  async create(owner: string, plan: string, calledAtMs: number): Promise<Account> {
    this.assertInTime(calledAtMs);
    return this.server.create(owner, plan);
  }

  async change(id: string, plan: string, calledAtMs: number): Promise<Account> {
    this.assertInTime(calledAtMs);
    return this.server.change(id, plan);
  }

  async remove(id: string, calledAtMs: number): Promise<void> {
    this.assertInTime(calledAtMs);
    this.server.remove(id);
  }

  private assertInTime(calledAtMs: number): void {
    if (this.clock.now() - calledAtMs > SEND_WITHIN_MS) throw new Error('the request was not sent in time');
  }
}
