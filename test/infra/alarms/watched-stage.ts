import { alarms } from '../../../infra/alarms.ts';
import { deployedFunctions } from '../../../infra/deployed-functions.ts';
import { scheduleMs } from '../../../infra/functions.ts';
import type { Stage } from '../../../infra/stage.ts';
import { PowertoolsMetrics } from '../../../lib/adapters/observability/powertools-metrics.ts';
import { metricsNamespace } from '../../../lib/deployment/cloud/cloud-names.ts';
import type { Metrics } from '../../../lib/ports/metrics.ts';
import type { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type AlarmProperties, type AlarmState, alarmProperties, CloudWatch } from './cloud-watch.ts';

const MINUTE_MS = 60_000;
/** CloudWatch reads some periods more than it evaluates. An alarm must work whatever their number is. */
const SPARES = [0, 2, 4];

interface EmbeddedLine {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [field: string]: unknown;
}

/** An alarm as one CloudWatch sees it. */
interface Watched {
  readonly state: AlarmState;
  /** The alarm has notified its topic of a problem, and not yet of the end. */
  readonly firing: boolean;
}

const NEW: Watched = { state: 'INSUFFICIENT_DATA', firing: false };

/** The events in a minute of a stage. */
export type Minute = (stage: WatchedStage) => Promise<void>;

/** The alarms of a stage's template over the metrics that its parts write, on a clock that a test moves. */
export class WatchedStage {
  readonly stage: Stage;
  readonly clock: ManualClock;
  readonly cloudWatch = new CloudWatch();
  readonly #metrics: PowertoolsMetrics;
  readonly #alarms: readonly AlarmProperties[];
  /** For each alarm, one state for each number of spare periods. */
  readonly #watched = new Map<string, Watched[]>();
  /** Minutes since the start. */
  #minute = 0;
  #atMs: number;

  constructor(stage: Stage, clock: ManualClock) {
    this.stage = stage;
    this.clock = clock;
    // At the start of an hour, so that the numbers of a test do not depend on it.
    clock.jump(3_600_000 - (clock.now() % 3_600_000));
    this.#atMs = clock.now();
    this.#alarms = alarmProperties(alarms(stage));
    for (const { AlarmName } of this.#alarms) {
      this.#watched.set(
        AlarmName,
        SPARES.map(() => NEW),
      );
    }
    const line = (text: string) => this.#take(JSON.parse(text) as EmbeddedLine);
    this.#metrics = new PowertoolsMetrics(metricsNamespace(stage.name), { line });
  }

  /** Sends the recorder's metrics to CloudWatch as well. */
  follow(recorder: Metrics): void {
    const record = recorder.record.bind(recorder);
    const both: Metrics['record'] = (name, value, dimensions) => {
      record(name, value, dimensions);
      this.#metrics.record(name, value, dimensions);
    };
    Object.assign(recorder, { record: both });
  }

  get minute(): number {
    return this.#minute;
  }

  /** @param everyMs whether a schedule of that interval runs in this minute. */
  isDue(everyMs: number): boolean {
    return (this.#minute * MINUTE_MS) % everyMs === 0;
  }

  /** Lambda's metrics of one run. @returns whether it failed. */
  async invoke(functionName: string, run: () => Promise<unknown>): Promise<boolean> {
    const failed = await run().then(
      () => false,
      () => true,
    );
    this.#lambda(functionName, { Invocations: 1, Errors: failed ? 1 : 0, Throttles: 0 });
    return failed;
  }

  throttle(functionName: string): void {
    this.#lambda(functionName, { Throttles: 1 });
  }

  #lambda(FunctionName: string, metrics: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(metrics)) {
      this.cloudWatch.put('AWS/Lambda', name, { FunctionName }, value, this.clock.now());
    }
  }

  /** Runs the scheduled functions except `except`, each at its time. */
  async schedules(except?: string): Promise<void> {
    for (const { name, part } of deployedFunctions(this.stage)) {
      const everyMs = scheduleMs(this.stage, part);
      if (name !== except && everyMs > 0 && this.isDue(everyMs)) await this.invoke(name, async () => {});
    }
  }

  /** @returns the alarms that went off in these minutes. */
  async run(minutes: number, act: Minute): Promise<Set<string>> {
    const fired = new Set<string>();
    for (let count = 1; count <= minutes; count += 1) {
      await this.#next(act);
      for (const name of this.firing()) fired.add(name);
    }
    return fired;
  }

  /** @returns after how many minutes the alarm fires with every number of spare periods; undefined when it does not. */
  async untilFiring(alarm: string, minutes: number, act: Minute): Promise<number | undefined> {
    for (let count = 1; count <= minutes; count += 1) {
      await this.#next(act);
      if (this.#watchedAs(alarm).every(({ firing }) => firing)) return count;
    }
    return undefined;
  }

  /** The alarms that fire now with at least one number of spare periods. */
  firing(): string[] {
    const prefix = `evenkeel-${this.stage.name}-`;
    return [...this.#watched]
      .filter(([, watched]) => watched.some(({ firing }) => firing))
      .map(([name]) => name.slice(prefix.length));
  }

  #watchedAs(alarm: string): readonly Watched[] {
    const watched = this.#watched.get(`evenkeel-${this.stage.name}-${alarm}`);
    if (watched === undefined) throw new Error(`there is no alarm ${alarm}`);
    return watched;
  }

  async #next(act: Minute): Promise<void> {
    await act(this);
    const leftMs = this.#atMs + MINUTE_MS - this.clock.now();
    if (leftMs < 0) throw new Error('what happens in a minute took longer');
    // Metrics of a minute are written before the minute ends.
    await this.clock.advance(leftMs - 1_000);
    this.#metrics.flush();
    await this.clock.advance(1_000);
    this.#atMs += MINUTE_MS;
    this.#minute += 1;
    for (const alarm of this.#alarms) {
      const before = this.#watched.get(alarm.AlarmName) ?? [];
      this.#watched.set(
        alarm.AlarmName,
        SPARES.map((spare, index) => this.#look(alarm, before[index] ?? NEW, spare)),
      );
    }
  }

  /** An alarm notifies its topic only when its state changes. */
  #look(alarm: AlarmProperties, before: Watched, spare: number): Watched {
    const state = this.cloudWatch.evaluate(alarm, this.#atMs, before.state, spare);
    if (state === before.state) return before;
    return {
      state,
      firing: state === 'ALARM' || (state === 'INSUFFICIENT_DATA' && 'InsufficientDataActions' in alarm),
    };
  }

  /**
   * Reads a line in the embedded metric format like CloudWatch does from a log, with the time at which it was written.
   */
  #take(line: EmbeddedLine): void {
    for (const { Namespace, Dimensions, Metrics: metrics } of line._aws.CloudWatchMetrics) {
      for (const names of Dimensions) {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(line[name])]));
        for (const { Name } of metrics) {
          for (const value of [line[Name]].flat()) {
            this.cloudWatch.put(Namespace, Name, dimensions, Number(value), this.clock.now());
          }
        }
      }
    }
  }
}
