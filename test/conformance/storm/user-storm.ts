import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { Entropy } from '../../../lib/ports/clock.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import type { Contracts } from '../../e2e/support/contracts.ts';

const KEYS = ['one', 'two', 'three'];
/** Edits start at fixed intervals, so that the rate does not depend on the precision of timers. */
const BEAT_MS = 50;

export interface StormFigures {
  edits: number;
  /** Writes that the server refused because another edit was first. */
  refused: number;
  /** Intervals that were skipped because too many edits were still running. */
  skipped: number;
}

/**
 * Users who edit contracts and Secrets at a steady rate, delete them, and create them again with the same names. A seed
 * decides what they do. They keep no record, because the stored objects show which status is correct.
 */
export class UserStorm {
  readonly figures: StormFigures = { edits: 0, refused: 0, skipped: 0 };
  private readonly users: readonly Contracts[];
  private readonly names: number;
  private readonly entropy: Entropy;
  private readonly busy = new Set<string>();

  /** @param users one for each namespace. @param names the names of the contracts in each namespace. */
  constructor(users: readonly Contracts[], names: number, entropy: Entropy) {
    this.users = users;
    this.names = names;
    this.entropy = entropy;
  }

  /** Creates all contracts and Secrets, a few at a time. */
  async create(atOnce: number): Promise<void> {
    const all = this.users.flatMap((user) => Array.from({ length: this.names }, (_, index) => ({ user, index })));
    const worker = async () => {
      for (let next = all.pop(); next !== undefined; next = all.pop()) {
        const name = nameOf(next.index);
        await next.user.createSecret(name, { one: 'x' });
        await next.user.createContract(name, ['one']);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /**
   * @param ratePerSecond how many edits start each second, however long they take.
   * @param isEnough called repeatedly with the elapsed milliseconds; the edits stop when it returns true.
   */
  async blow(ratePerSecond: number, atOnce: number, isEnough: (passedMs: number) => boolean): Promise<void> {
    const clock = new SystemClock();
    const startMs = clock.now();
    const running = new Set<Promise<void>>();
    for (let begun = 0; !isEnough(clock.now() - startMs); ) {
      const due = Math.floor(((clock.now() - startMs) * ratePerSecond) / 1_000);
      for (; begun < due; begun += 1) {
        if (running.size >= atOnce) {
          this.figures.skipped += 1;
          continue;
        }
        const edit: Promise<void> = this.edit().finally(() => running.delete(edit));
        running.add(edit);
      }
      await clock.sleep(BEAT_MS);
    }
    await Promise.all(running);
  }

  private async edit(): Promise<void> {
    const user = this.pick(this.users);
    const name = nameOf(Math.floor(this.entropy.random() * this.names));
    const id = `${user.namespace}/${name}`;
    // Two edits of one object at the same time would only test which is first.
    if (this.busy.has(id)) return this.edit();
    this.busy.add(id);
    try {
      await this.editOne(user, name);
      this.figures.edits += 1;
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'AlreadyExists', 'Conflict')) throw error;
      this.figures.refused += 1;
    } finally {
      this.busy.delete(id);
    }
  }

  private async editOne(user: Contracts, name: string): Promise<void> {
    const choice = this.entropy.random();
    const key = this.pick(KEYS);
    const keys = KEYS.filter(() => this.entropy.random() < 0.5);
    if (choice < 0.3) await user.patchSecret(name, { [key]: `${this.entropy.random()}` });
    else if (choice < 0.45) await user.patchSecret(name, undefined, [key]);
    else if (choice < 0.65) await user.patchContract(name, keys.length > 0 ? keys : [key]);
    else if (choice < 0.72) await user.deleteSecret(name);
    else if (choice < 0.8) await user.createSecret(name, { [key]: 'x' });
    else if (choice < 0.85) await user.deleteContract(name);
    else if (choice < 0.9) await user.createContract(name, [key]);
    else {
      await user.deleteContract(name);
      await user.createContract(name, [key]);
    }
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.entropy.random() * items.length)] as Item;
  }
}

function nameOf(index: number): string {
  return `contract-${index}`;
}
