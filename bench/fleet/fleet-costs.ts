import { ASSUMPTIONS, type CostAssumptions, costPerMillion, PRICES } from '../cost-model.ts';
import { type CountedOutcome, countRequests } from '../request-counts.ts';
import type { FleetDay } from './fleet-day.ts';
import type { PhaseFigures } from './fleet-figures.ts';

export interface PhaseCost {
  readonly phase: string;
  /** Handled messages. */
  readonly handled: number;
  /** Dollars of the requests, the time of the passes and the log, as the simulation counted them. */
  readonly counted: number;
  /** The same as the cost model computes it from the outcomes, each message alone. */
  readonly computed: number;
}

const MILLION = 1_000_000;

/** What the requests of each phase cost, counted and computed; what relay and resync ask the table for is left out. */
export async function fleetCosts(day: FleetDay, assumed: CostAssumptions = ASSUMPTIONS): Promise<PhaseCost[]> {
  const counts = await countRequests();
  const perMillion = (outcome: CountedOutcome) => costPerMillion(counts[outcome], assumed) / MILLION;
  return [day.firstPasses, day.quiet, day.rollout, day.recovery].map((phase) => {
    const { committed = 0, covered = 0 } = phase.ends;
    const { dependency = 0, updated = 0 } = phase.causes;
    const first = phase === day.firstPasses ? day.objects : 0;
    const changed = dependency + updated;
    const noop = Math.max(0, committed - first - changed);
    const computed =
      first * perMillion('first pass') +
      changed * perMillion('dependency change') +
      noop * perMillion('no-op pass') +
      covered * perMillion('covered event');
    return { phase: phase.name, handled: committed + covered, counted: countedCost(phase, assumed), computed };
  });
}

function countedCost({ table, fifo, wakes, ends }: PhaseFigures, assumed: CostAssumptions): number {
  const ofPasses = (what: string) => table[`passes ${what}`] ?? 0;
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, some) => all + some, 0);
  const passes = ends.committed ?? 0;
  const invocations = (fifo.ReceiveMessage ?? 0) + (wakes.ReceiveMessage ?? 0);
  const requests =
    (ofPasses('write') + ofPasses('index')) * PRICES.tableWrite +
    ofPasses('read') * PRICES.tableRead +
    sum(fifo) * PRICES.fifoRequest +
    sum(wakes) * PRICES.standardRequest +
    invocations * PRICES.invocation;
  const compute = passes * assumed.passSeconds * assumed.memoryGb * PRICES.gbSecond;
  const log = (passes * assumed.logKb * PRICES.logGb) / MILLION;
  return requests / MILLION + compute + log;
}
