import { holdRecordKey } from '../../engine/relay/relay-hold.ts';
import { UnchangedRecord } from '../../engine/unchanged-record.ts';
import { elapsedMs } from '../../ports/clock.ts';
import type { RelayDuty } from '../cloud/relay-shift.ts';
import type { UseRecorder } from '../cloud/use-recorder.ts';
import type { Installation } from '../installation/installation.ts';
import { relayPart } from '../installation/relay-part.ts';
import type { CloudRuntime } from '../wiring-cloud.ts';
import { mayDrive } from './may-drive.ts';

/** The interval for reading the list of clusters, and for checking the hold of each. */
const LOOK_EVERY_MS = 15_000;
/** The interval for writing metrics: short enough for a dashboard, long enough to keep the log small. */
const FLUSH_EVERY_MS = 60_000;
/** The interval for recording what a cluster has of the deployment: once a shift. */
const RECORD_USE_EVERY_MS = 15 * 60_000;
/** The longest delay until a relief takes a hold that was given back. */
const STANDBY_POLL_MS = 1_000;

type WorkRuntime = Pick<
  CloudRuntime,
  'clusters' | 'store' | 'settings' | 'clock' | 'logger' | 'metrics' | 'newId' | 'flush'
> & { readonly useRecorder?: Pick<UseRecorder, 'record'> };

/** What this process has seen of each cluster's hold. A process that works several times keeps it. */
export type HoldsSeen = Map<string, UnchangedRecord>;

interface Work {
  readonly installation: Installation;
  /** The number of renewals by others that this process had seen at the start of the work. */
  readonly renewalsBefore: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** The recording of the cluster's use that runs; undefined when none does. */
  recording: Promise<void> | undefined;
  /** Monotonic ms. */
  recordedAtMs: number;
}

/** Relays the clusters of a deployment, for one shift or for the life of the process. */
export class RelayWork {
  private readonly runtime: WorkRuntime;
  private readonly duty: RelayDuty;
  private readonly holdsSeen: HoldsSeen;
  /** Monotonic ms. The end of the work is a time of the wall clock, which may be set during the work. */
  private readonly startedMonotonicMs: number;
  private readonly lastsMs: number;
  private readonly standsByMs: number;
  /** The owner's name of this work in the holds of the table. */
  private readonly owner: string;
  private readonly works = new Map<string, Work>();
  private flushedAtMs: number;

  constructor(runtime: WorkRuntime, duty: RelayDuty, holdsSeen: HoldsSeen = new Map()) {
    this.runtime = runtime;
    this.duty = duty;
    this.holdsSeen = holdsSeen;
    this.owner = runtime.newId();
    const nowMs = runtime.clock.now();
    this.lastsMs = duty.endsAtMs - nowMs;
    this.standsByMs = duty.standsByUntilMs - nowMs;
    this.startedMonotonicMs = runtime.clock.monotonic();
    this.flushedAtMs = this.startedMonotonicMs;
  }

  /**
   * Works until the duty or the signal ends it, or until there is no cluster that it could hold. At the end every relay
   * writes its checkpoints and gives back its hold.
   * @param onLook called after each check of all clusters, as a sign of progress.
   */
  async run(signal: AbortSignal, onLook: () => void = () => {}): Promise<void> {
    const { clock, logger } = this.runtime;
    try {
      await this.startAll();
      while (!signal.aborted && this.leftMs > 0 && (this.works.size > 0 || this.isStanding)) {
        onLook();
        await clock.sleep(Math.min(LOOK_EVERY_MS, this.leftMs), signal).catch(() => {});
        if (signal.aborted || this.leftMs <= 0) break;
        try {
          await this.look();
        } catch (error) {
          logger.error('the relay could not read its clusters and will try again', error);
        }
        this.flushNowAndThen();
      }
    } finally {
      await Promise.all([...this.works.keys()].map((name) => this.stop(name)));
    }
  }

  private get leftMs(): number {
    return this.lastsMs - this.elapsedMs;
  }

  private get elapsedMs(): number {
    return elapsedMs(this.runtime.clock, this.startedMonotonicMs);
  }

  /** Whether it continues when it holds no cluster. */
  private get isStanding(): boolean {
    return this.standsByMs === Number.POSITIVE_INFINITY;
  }

  private async startAll(): Promise<void> {
    const { clusters, settings } = this.runtime;
    await clusters.refresh();
    if (settings.paused) return;
    for (const { name, opened, fault } of clusters.all()) {
      if (fault !== undefined || this.works.has(name)) continue;
      if (await this.isWorthStarting(name, opened.installation)) this.start(name, opened.installation);
    }
  }

  private async isWorthStarting(name: string, installation: Installation): Promise<boolean> {
    if (!(await this.mayRelay(installation))) return false;
    if (!this.duty.onlyFree) return true;
    const { store, clock } = this.runtime;
    const askedAtMs = clock.monotonic();
    const { paused, relay } = await store.readCluster(name);
    if (paused) return false;
    if (relay === undefined) return true;
    const seen = this.seenOf(name);
    const changesBefore = seen.changes;
    seen.see(holdRecordKey(relay), askedAtMs, clock.monotonic());
    return seen.changes === changesBefore;
  }

  /** A standby stage relays nothing while another deployment drives the cluster. */
  private async mayRelay(installation: Installation): Promise<boolean> {
    return !this.runtime.settings.standby || (await mayDrive(installation));
  }

  private seenOf(name: string): UnchangedRecord {
    const seen = this.holdsSeen.get(name) ?? new UnchangedRecord();
    this.holdsSeen.set(name, seen);
    return seen;
  }

  private start(name: string, installation: Installation): void {
    const abort = new AbortController();
    const holdSeen = this.seenOf(name);
    const relay = relayPart(installation, { pollMs: STANDBY_POLL_MS, owner: this.owner, holdSeen });
    this.works.set(name, {
      installation,
      renewalsBefore: holdSeen.changes,
      abort,
      done: relay(abort.signal),
      recording: undefined,
      recordedAtMs: Number.NEGATIVE_INFINITY,
    });
  }

  private async stop(name: string): Promise<void> {
    const work = this.works.get(name);
    this.works.delete(name);
    work?.abort.abort();
    await Promise.all([work?.done, work?.recording]);
  }

  /**
   * Leaves a cluster that is not listed any more, that another relay holds, or that another deployment drives. A relay
   * that runs until it is stopped also starts new clusters.
   */
  private async look(): Promise<void> {
    const { clusters } = this.runtime;
    await clusters.refresh();
    for (const [name, { installation, renewalsBefore }] of this.works) {
      if (clusters.get(name)?.opened.installation !== installation) await this.stop(name);
      else if (this.mayLetGo(name, renewalsBefore) && !(await this.isHeld(name))) await this.stop(name);
      else if (!(await this.mayRelay(installation))) await this.stop(name);
      else this.recordUse(name);
    }
    if (this.isStanding) await this.startAll();
  }

  /** The relay does not wait for the recording. */
  private recordUse(name: string): void {
    const { clusters, clock, useRecorder } = this.runtime;
    const work = this.works.get(name);
    const opened = clusters.get(name)?.opened;
    if (work === undefined || work.recording !== undefined || opened === undefined || useRecorder === undefined) return;
    if (elapsedMs(clock, work.recordedAtMs) < RECORD_USE_EVERY_MS) return;
    work.recording = useRecorder.record(name, opened, this.owner, work.abort.signal).then((isDone) => {
      work.recording = undefined;
      if (isDone) work.recordedAtMs = clock.monotonic();
    });
  }

  private mayLetGo(name: string, renewalsBefore: number): boolean {
    const isHeldByAnother = this.duty.onlyFree && this.seenOf(name).changes > renewalsBefore;
    return isHeldByAnother || this.elapsedMs > this.standsByMs;
  }

  private async isHeld(name: string): Promise<boolean> {
    return (await this.runtime.store.readCluster(name)).relay?.owner === this.owner;
  }

  private flushNowAndThen(): void {
    const nowMs = this.runtime.clock.monotonic();
    if (nowMs - this.flushedAtMs < FLUSH_EVERY_MS) return;
    this.flushedAtMs = nowMs;
    this.runtime.flush();
  }
}
