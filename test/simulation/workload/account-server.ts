import type { Clock } from '../../../lib/ports/clock.ts';

export interface Account {
  readonly id: string;
  /** The UID that its creator wrote into it. */
  readonly owner: string;
  readonly plan: string;
}

/** An external system without conditional writes. It remembers what should never have happened to it. */
export class AccountServer {
  readonly faults: string[] = [];
  private readonly accounts = new Map<string, Account>();
  private created = 0;

  all(): Account[] {
    return [...this.accounts.values()];
  }

  find(owner: string): Account | undefined {
    return this.all().find((account) => account.owner === owner);
  }

  create(owner: string, plan: string): Account {
    if (this.find(owner) !== undefined) this.faults.push(`a second account was created for ${owner}`);
    this.created += 1;
    const account = { id: `account-${this.created}`, owner, plan };
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

  /** Somebody there changes each account by hand. */
  drift(): void {
    for (const { id } of this.all()) this.change(id, 'drifted');
  }

  remove(id: string): void {
    this.accounts.delete(id);
  }
}

/** Less than the mutation margin exceeds the clock skew by: a request that is sent later could meet the next pass. */
const SEND_WITHIN_MS = 900;

/** What a process uses the system with. A request that was not sent in time after the call is not sent at all. */
export class AccountClient {
  private readonly server: AccountServer;
  private readonly clock: Clock;

  constructor(server: AccountServer, clock: Clock) {
    this.server = server;
    this.clock = clock;
  }

  async find(owner: string): Promise<Account | undefined> {
    return this.server.find(owner);
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
