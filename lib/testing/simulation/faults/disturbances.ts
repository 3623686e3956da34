import type { ApiServer } from '../../../apiserver/api-server.ts';
import { SeededEntropy } from '../../seeded-entropy.ts';
import { TEST_CLUSTER } from '../../world.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Simulation } from '../simulation.ts';
import type { DrawnFaults, Refusal } from './drawn-faults.ts';
import type { PlannedDisturbance } from './planned-disturbance.ts';

/**
 * The largest difference between a clock and true time, in both directions, so that two clocks differ by less than the
 * tolerated skew.
 */
export const MAX_SKEW_MS = 1_900;
const WRONG_BY_MS = 120_000;
/** For a clock that a person, or a wrong time server, set. */
const STEP_MS = 600_000;

interface Backup {
  readonly state: ReturnType<ApiServer['snapshot']>;
  /** How often the relay had raised its counter in the cluster. */
  readonly counter: number;
}

/** Does the disturbances of a plan at their times. */
export class Disturbances {
  readonly #simulation: Simulation;
  readonly #faults: DrawnFaults;
  readonly #watchedKinds: readonly string[];
  readonly #backups: Backup[] = [];
  readonly #lasting = new Set<(on: boolean) => void>();
  readonly #forge: (disturbance: PlannedDisturbance) => Promise<void>;

  /** @param forge makes a user forge something. */
  constructor(
    simulation: Simulation,
    faults: DrawnFaults,
    forge: (disturbance: PlannedDisturbance) => Promise<void> = async () => {},
  ) {
    this.#simulation = simulation;
    this.#forge = forge;
    this.#faults = faults;
    this.#watchedKinds = simulation.registry.watchedKinds().map(({ id }) => id);
  }

  /** Starts a disturbance. It ends by itself after its time. */
  async strike(disturbance: PlannedDisturbance): Promise<void> {
    const { kind, ms, seed } = disturbance;
    const entropy = new SeededEntropy(seed);
    const pick = (below: number) => Math.floor(entropy.random() * below);
    const { store } = this.#simulation;
    switch (kind) {
      case 'crash':
        this.#anyProcess(pick)?.crash();
        break;
      case 'pause':
        this.#anyProcess(pick)?.pause(ms);
        break;
      case 'gap':
        this.#tell('the history of the cluster is compacted');
        this.#simulation.compact();
        break;
      case 'forbid':
        this.#refuse({ kind: this.#anyKind(pick), reason: 'Forbidden' }, ms);
        break;
      case 'missing':
        this.#refuse({ kind: this.#anyKind(pick), reason: 'KindMissing' }, ms);
        break;
      case 'outage':
        this.#lasts('the cluster cannot be reached', ms, (on) => {
          this.#faults.outage = on;
        });
        break;
      case 'halt':
        this.#lasts('the cluster is paused', ms, (on) => void store.setPaused(TEST_CLUSTER, on));
        break;
      case 'lag':
        this.#lasts('the index lags', ms, (on) => {
          store.indexLagMs = on ? Math.min(ms, 20_000) : 0;
        });
        break;
      case 'restore':
        await this.#restore();
        break;
      case 'jump':
        this.#jump(this.#anyProcess(pick), pick(2 * MAX_SKEW_MS) - MAX_SKEW_MS);
        break;
      case 'wrong-clock':
        this.#setWrong(pick, ms);
        break;
      case 'step':
        this.#stepOne(pick, ms);
        break;
      case 'forge':
      case 'marks':
      case 'status':
        await this.#forge(disturbance);
        break;
      case 'garbage':
        this.#litter(pick);
        break;
    }
  }

  /** Makes one clock wrong for a while. */
  #setWrong(pick: (below: number) => number, ms: number): void {
    const process = this.#anyProcess(pick);
    this.#jump(process, pick(2 * WRONG_BY_MS) - WRONG_BY_MS);
    this.#later(ms, () => this.#jump(process, 0));
  }

  /** Sets one clock far ahead or back, and corrects it later, perhaps after its process has died. */
  #stepOne(pick: (below: number) => number, ms: number): void {
    const process = pick(3) === 0 ? this.#anyProcess(pick) : this.#anyProcess(pick, /^worker|^relay/);
    this.#jump(process, pick(3) === 0 ? -STEP_MS : STEP_MS);
    this.#later(ms, () => this.#jump(process, 0));
    if (process !== undefined && pick(2) === 0) this.#faults.doom(process);
  }

  /** Breaks the watches of a kind for a while. The history of that time is lost. */
  leaveGap(kind: string, ms: number): void {
    const refusal: Refusal = { kind, reason: 'ServerError' };
    this.#tell(`${kind} cannot be watched for ${ms} ms, and its history is lost`);
    this.#faults.refusals.add(refusal);
    this.#later(ms, () => {
      this.#faults.refusals.delete(refusal);
      this.#simulation.compact();
    });
  }

  /** Keeps a backup for a later restore. */
  backUp(): void {
    this.#backups.push({ state: this.#simulation.server.snapshot(), counter: this.#simulation.restoreCounter });
  }

  /** Ends everything that lasts, and corrects all clocks within the tolerated skew. */
  stop(): void {
    for (const end of this.#lasting) end(false);
    this.#lasting.clear();
    for (const { process } of this.#simulation.processes.values()) {
      if (Math.abs(process.skewMs) > MAX_SKEW_MS) this.#jump(process, 0);
    }
  }

  /**
   * Uses a backup from before the last raise of the relay's counter whose answer arrived. A later backup looks like no
   * restore, except to resync.
   */
  async #restore(): Promise<void> {
    const { restoreCounterSeen } = await this.#simulation.store.readCluster(TEST_CLUSTER);
    const arrived = Math.min(this.#simulation.restoreCounter, restoreCounterSeen);
    const backup = this.#backups.findLast(({ counter }) => counter > 0 && counter < arrived);
    if (backup === undefined) return;
    this.#tell(`THE CLUSTER IS RESTORED to version ${backup.state.revision}`);
    this.#simulation.restore(backup.state);
  }

  #refuse(refusal: Refusal, ms: number): void {
    this.#tell(`${refusal.kind} answers ${refusal.reason} for ${ms} ms`);
    this.#faults.refusals.add(refusal);
    this.#later(ms, () => this.#faults.refusals.delete(refusal));
  }

  #jump(process: SimulatedProcess | undefined, skewMs: number): void {
    if (process === undefined) return;
    this.#tell(`the clock of ${process.name} jumps by ${skewMs - process.skewMs} ms`);
    process.skewMs = skewMs;
  }

  #litter(pick: (below: number) => number): void {
    const queues = Object.values(this.#simulation.queues).flatMap((lanes) => Object.values(lanes));
    const groups = queues[0]?.messages().map(({ messageGroupId }) => messageGroupId) ?? [];
    const body = ['{"v":1', '{"v":99}', '{}', 'null'][pick(4)] ?? '';
    this.#tell(`somebody sends ${body}`);
    const message = {
      body,
      messageGroupId: groups[0] ?? 'nobody',
      deduplicationId: `garbage-${this.#simulation.scheduler.now()}`,
    };
    queues[pick(queues.length)]?.send([message]);
  }

  #anyProcess(pick: (below: number) => number, named = /./): SimulatedProcess | undefined {
    const alive = [...this.#simulation.processes.values()].filter(
      ({ process }) => process.alive && named.test(process.name),
    );
    return alive[pick(alive.length)]?.process;
  }

  #anyKind(pick: (below: number) => number): string {
    return this.#watchedKinds[pick(this.#watchedKinds.length)] ?? '';
  }

  /** @param turn called with true at the start and with false at the end. */
  #lasts(what: string, ms: number, turn: (on: boolean) => void): void {
    this.#tell(`${what} for ${ms} ms`);
    this.#lasting.add(turn);
    turn(true);
    this.#later(ms, () => {
      if (this.#lasting.delete(turn)) turn(false);
    });
  }

  #later(ms: number, what: () => void): void {
    this.#simulation.scheduler.sleep(this.#simulation.host, ms).then(what);
  }

  #tell(what: string): void {
    this.#simulation.scheduler.trace.add(this.#simulation.scheduler.now(), 'fate', what);
  }
}
