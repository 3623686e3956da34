import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fleetCosts } from './fleet-costs.ts';
import { simulateDay } from './fleet-day.ts';
import type { PhaseFigures } from './fleet-figures.ts';
import type { RecordedDay } from './recorded-day.ts';

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '20' },
    objects: { type: 'string', default: '500' },
    namespaces: { type: 'string', default: '20' },
    edits: { type: 'string', default: '1' },
    'quiet-hours': { type: 'string', default: '11' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`Usage: node bench/fleet/main.ts [--clusters 20] [--objects 500] [--namespaces 20] [--edits 1] [--quiet-hours 11] [--json FILE]
Simulates a day of a fleet on virtual time, in this process: --objects of each cluster in --namespaces, each edited --edits times a
day. A day has --quiet-hours before a rollout and after an outage of an hour. The whole fleet of docs/scaling.md is
--clusters 200 --objects 5000: give Node the memory, with NODE_OPTIONS=--max-old-space-size=12000.`);
  process.exit(0);
}

const options = {
  clusters: Number(values.clusters),
  objects: Number(values.objects),
  namespaces: Number(values.namespaces),
  latency: { readMs: 100, writeMs: 50 },
  seed: 1,
  editsADay: Number(values.edits),
  outageHours: 1,
  quietHours: Number(values['quiet-hours']),
};
const startedCpu = process.cpuUsage();
const day = await simulateDay({ ...options, onPhase: show });
const { user, system } = process.cpuUsage(startedCpu);
const cpuSeconds = (user + system) / 1e6;
const rssMb = Math.round(process.memoryUsage().rss / 1_048_576);
console.log(`${day.objects} objects in ${day.clusters} clusters; ${Math.round(cpuSeconds)} s of CPU, ${rssMb} MB`);
const costs = await fleetCosts(day);
console.table(costs);
const recorded: RecordedDay = { options, day, costs, cpuSeconds, rssMb };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(recorded, null, 2)}\n`);

function show(phase: PhaseFigures, cpuSeconds: number): void {
  console.log(`\n${phase.name}: ${Math.round(phase.seconds)} s, ${cpuSeconds.toFixed(1)} s of CPU`);
  console.log(JSON.stringify({ ...phase, metrics: undefined }));
}
