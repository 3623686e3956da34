import { Fleet, type FleetOptions } from './fleet.ts';
import type { PhaseFigures } from './fleet-figures.ts';
import { editAnything } from './users.ts';

export interface FleetDayOptions extends FleetOptions {
  /** Of each object, on average. */
  readonly editsADay: number;
  readonly outageHours: number;
  /** Of simulated time: the hours of the day before the rollout, and after the outage until it is over. */
  readonly quietHours: number;
  /** Called after each phase, with the seconds of CPU time it took. */
  readonly onPhase?: (phase: PhaseFigures, cpuSeconds: number) => void;
}

/** What a day of a fleet brought. */
export interface FleetDay {
  readonly clusters: number;
  readonly objects: number;
  /** From the registration of all clusters at once to the first pass of the last object. */
  readonly firstPasses: PhaseFigures;
  /** Users edit, and nothing else happens. */
  readonly quiet: PhaseFigures;
  /** From the deployment of another version to the first pass by it of the last object. */
  readonly rollout: PhaseFigures;
  /** Edits during the outage, seen by nobody. */
  readonly outage: PhaseFigures;
  /** From the return of the region until each edit that was made before was seen by a pass. */
  readonly recovery: PhaseFigures;
  readonly rest: PhaseFigures;
}

const SECOND_MS = 1_000;
const SAMPLE_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;
/** A phase that takes longer does not end. */
const LONGEST_PHASE_MS = 48 * HOUR_MS;

/** A day: all clusters are registered, users edit, a version is rolled out, and the region of the deployment is gone for a while. */
export async function simulateDay(options: FleetDayOptions): Promise<FleetDay> {
  const fleet = new Fleet(options);
  const { clock, figures } = fleet;
  const stop = new AbortController();
  const phase = phases(fleet, options.onPhase);
  void sampleBacklog(fleet, stop.signal);
  const common = { clusters: options.clusters, objects: fleet.objects };

  await fleet.start('1');
  const isPassed = () => fleet.passedObjects === fleet.objects;
  const firstPasses = await phase('first passes', () => until(fleet, isPassed));

  await spreadTimers(fleet);
  // Its requests belong to no phase.
  figures.endPhase('timers are spread');
  void editAnything(fleet, options.editsADay, stop.signal);
  const quiet = await phase('quiet', () => clock.runUntil(clock.now() + options.quietHours * HOUR_MS));

  const rollout = await phase('rollout', async () => {
    await fleet.start('2');
    await until(fleet, isPassed);
  });

  const outage = await phase('outage', async () => {
    fleet.goDown();
    await clock.runUntil(clock.now() + options.outageHours * HOUR_MS);
  });

  const recovery = await phase('recovery', async () => {
    const returnedMs = clock.now();
    await fleet.comeBack('2');
    await until(fleet, () => (figures.oldestUnseenMs ?? Number.POSITIVE_INFINITY) >= returnedMs);
  });

  const rest = await phase('rest', () => clock.runUntil(clock.now() + options.quietHours * HOUR_MS));
  stop.abort();
  fleet.goDown();
  return { ...common, firstPasses, quiet, rollout, outage, recovery, rest };
}

/** Runs each phase and measures it. */
function phases({ figures }: Fleet, onPhase: FleetDayOptions['onPhase']) {
  return async (name: string, run: () => Promise<void>): Promise<PhaseFigures> => {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    const phase = figures.endPhase(name);
    onPhase?.(phase, (user + system) / 1e6);
    return phase;
  };
}

/** Moves time second by second. @throws Error when the condition does not come to hold. */
async function until({ clock }: Fleet, holds: () => boolean): Promise<void> {
  const endMs = clock.now() + LONGEST_PHASE_MS;
  while (!holds()) {
    if (clock.now() >= endMs) throw new Error('a phase of the simulated day does not end');
    await clock.runUntil(clock.now() + SECOND_MS);
  }
}

async function sampleBacklog(fleet: Fleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fleet.clock.sleep(SAMPLE_EVERY_MS, signal).catch(() => {});
    const { events, resync } = fleet.backlog;
    fleet.figures.waiting(events, resync);
  }
}

/**
 * Objects that were all reconciled in the same hour have their resync timers in the same days. In a fleet that has run for
 * weeks they are due at any time.
 */
async function spreadTimers({ table, settings, entropy, clock }: Fleet): Promise<void> {
  for (const { target, dueAtMs, epoch } of table.contents().targets) {
    if (dueAtMs === undefined) continue;
    const toMs = clock.now() + Math.floor(entropy.random() * settings.intervals.targetResyncMs);
    await table.pushDue(target, { dueAtMs, epoch }, toMs, clock.now());
  }
}
