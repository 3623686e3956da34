import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadStage } from '../../infra/stage.ts';
import { ASSUMPTIONS } from '../cost-model.ts';
import type { RecordedDay } from '../fleet/recorded-day.ts';
import { countRequests } from '../request-counts.ts';
import {
  durations,
  type FleetSize,
  logGbADay,
  type PartUse,
  partUses,
  passesPerSecond,
  RELAY_CHANGES_PER_SECOND,
  type ScalingInputs,
} from './limits.ts';
import { QUOTAS } from './quotas.ts';

/** The fleets of the page, small to large. */
export const FLEETS: readonly FleetSize[] = [
  { clusters: 1, objects: 10_000 },
  { clusters: 1, objects: 100_000 },
  { clusters: 100, objects: 100_000 },
  { clusters: 100, objects: 1_000_000 },
  { clusters: 1_000, objects: 1_000_000 },
  { clusters: 1_000, objects: 10_000_000 },
];

const ROOT = new URL('../../', import.meta.url);

/** The inputs of the page: the settings of stages/prod.yml, counted requests, and one edit of each object in a day. */
export async function pageInputs(): Promise<ScalingInputs> {
  return {
    settings: loadStage('prod', fileURLToPath(ROOT)).settings,
    counts: await countRequests(),
    assumed: ASSUMPTIONS,
    latency: { readMs: 100, writeMs: 50 },
    groups: 1,
    editsADay: 1,
    peak: 10,
    namespacesACluster: 20,
    relayChangesPerSecond: RELAY_CHANGES_PER_SECOND,
  };
}

/** docs/scaling.md with its figures as they are computed now, between their marks. */
export async function withScaling(page: string): Promise<string> {
  const inputs = await pageInputs();
  const figures: Readonly<Record<string, string>> = {
    quotas: quotas(),
    uses: uses(inputs),
    durations: durationRows(inputs),
    day: day(inputs),
  };
  return page.replace(
    /(<!-- scaling: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}${figures[name] ?? ''}${end}`,
  );
}

function quotas(): string {
  return table(
    ['quota', 'value', 'raised on request', 'page'],
    Object.values(QUOTAS).map(({ what, value, unit, page, raised }) => [
      what,
      `${count(value)} ${unit}`,
      raised ? 'yes' : 'no',
      `[${page.slice(page.lastIndexOf('/', page.length - 2) + 1).replace(/\/$/, '')}](${page})`,
    ]),
  );
}

function uses(inputs: ScalingInputs): string {
  const all = FLEETS.map((fleet) => partUses(fleet, inputs));
  const largest = all.at(-1) ?? [];
  const cell = ({ needed, limit }: PartUse) => `${percent(needed / limit)} of ${count(limit)}`;
  return table(
    ['part', 'unit', ...FLEETS.map(fleetName)],
    largest.map(({ part, unit }) => [
      part,
      unit,
      ...all.map((parts) => {
        const use = parts.find((other) => other.part === part);
        return use === undefined ? '' : cell(use);
      }),
    ]),
  );
}

function durationRows(inputs: ScalingInputs): string {
  const row = (what: string, of: (fleet: FleetSize) => string) => [what, ...FLEETS.map(of)];
  return table(
    ['', ...FLEETS.map(fleetName)],
    [
      row('passes a second, on average', (fleet) => {
        const { edits, timers } = passesPerSecond(fleet, { ...inputs, peak: 1 });
        return (edits + timers).toFixed(2);
      }),
      row('first passes of all objects', (fleet) => time(durations(fleet, inputs).firstPassesSeconds)),
      row('rollout of a version over all', (fleet) => time(durations(fleet, inputs).rolloutSeconds)),
      row('recovery from an outage of an hour', (fleet) => time(durations(fleet, inputs).recoverySeconds)),
      row('log, GB a day', (fleet) => logGbADay(fleet, inputs).toFixed(2)),
    ],
  );
}

function day(inputs: ScalingInputs): string {
  const { day: simulated, costs, options, cpuSeconds, rssMb } = recordedDay();
  const fleet = { clusters: simulated.clusters, objects: simulated.objects };
  const computed = durations(fleet, { ...inputs, latency: options.latency, editsADay: options.editsADay });
  const { firstPasses, quiet, rollout, recovery, rest } = simulated;
  const dollars = (phase: string, what: 'counted' | 'computed') =>
    (costs.find((cost) => cost.phase === phase)?.[what] ?? Number.NaN).toFixed(4);
  const rows = table(
    ['', 'computed', 'simulated'],
    [
      ['first passes of all objects', time(computed.firstPassesSeconds), time(firstPasses.seconds)],
      ['rollout of a version over all', time(computed.rolloutSeconds), time(rollout.seconds)],
      ['recovery from an outage of an hour', time(computed.recoverySeconds), time(recovery.seconds)],
      ['most messages of the resync lane: first passes', count(simulated.objects), count(firstPasses.backlog.resync)],
      ['the same, rollout', '', count(rollout.backlog.resync)],
      ['edit to the end of its pass, p50 / p99, quiet', '', milliseconds(quiet.editMs)],
      ['the same, during the rollout', '', milliseconds(rollout.editMs)],
      ['the same, after the outage', '', milliseconds(rest.editMs)],
      ...costs.map(({ phase }) => [`dollars, ${phase}`, dollars(phase, 'computed'), dollars(phase, 'counted')]),
    ],
  );
  const { clusters, objects } = fleet;
  const hours = 2 * options.quietHours + options.outageHours;
  return `\n${count(clusters)} clusters with ${count(objects / clusters)} objects each, for ${hours} hours and the phases between them; ${Math.round(cpuSeconds)} s of CPU and ${count(rssMb)} MB on one core.\n${rows}`;
}

function recordedDay(): RecordedDay {
  return JSON.parse(readFileSync(new URL('bench/fleet/recorded-day.json', ROOT), 'utf8')) as RecordedDay;
}

function fleetName({ clusters, objects }: FleetSize): string {
  return `${count(clusters)} cluster${clusters === 1 ? '' : 's'}, ${count(objects)} objects`;
}

function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

function percent(share: number): string {
  if (share >= 0.1) return `${(100 * share).toFixed(0)} %`;
  return share < 0.0001 ? '0 %' : `${(100 * share).toPrecision(1)} %`;
}

function milliseconds({ p50, p99 }: { p50: number | null; p99: number | null }): string {
  return `${p50 ?? '-'} / ${p99 ?? '-'} ms`;
}

/** 45 s, 12 min, 3.5 h. */
function time(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${lines.join('\n')}\n`;
}
