import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAmplification } from './amplification.ts';
import { measureBundles } from './bundles.ts';
import { ASSUMPTIONS, costPerMillion } from './cost-model.ts';
import { idleMonths } from './cost-page.ts';
import { measureIdle } from './idle.ts';
import { measureInMemory } from './in-memory.ts';
import { measurePeers, peerRows } from './peers.ts';
import { measurePlan } from './plan.ts';
import { measureRelay } from './relay.ts';
import { measureThroughput } from './relay-throughput.ts';
import { countRequests, OUTCOMES } from './request-counts.ts';
import { measureStateFile } from './state-file.ts';
import { measureStack } from './whole-stack.ts';

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'embedded' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    peers: { type: 'boolean', default: false },
    contracts: { type: 'string' },
    'cpu-prof': { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run bench -- [--api embedded|real] [--quick] [--only SECTION,...] [--peers [--contracts COUNT] [--cpu-prof DIR]] [--json FILE]
Sections: requests, memory, state, stack, idle, relay, throughput, amplification, bundles, plan, cost. --api real needs Go (test/real-apiserver).
--peers compares evenkeel with controllers on other frameworks and does nothing else; it needs Go. Figures are of this machine;
quote the ratios, which are taken in one run.`);
  process.exit(0);
}
if (values.api !== 'embedded' && values.api !== 'real') {
  console.error(`--api cannot be "${values.api}": it is embedded or real`);
  process.exit(2);
}
const api = values.api;
const SECTIONS = [
  'requests',
  'memory',
  'state',
  'stack',
  'idle',
  'relay',
  'throughput',
  'amplification',
  'bundles',
  'plan',
  'cost',
];
const sections = values.peers ? ['peers'] : values.only?.split(',');
const unknown = sections?.filter((section) => !SECTIONS.includes(section) && section !== 'peers') ?? [];
if (unknown.length > 0) {
  console.error(`--only cannot name "${unknown.join('", "')}": the sections are ${SECTIONS.join(', ')}`);
  process.exit(2);
}
const wanted = (section: string) => sections === undefined || sections.includes(section);
const round = (value: number, digits = 1) => Number(value.toFixed(digits));

const report: Record<string, unknown> = {
  machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  node: process.version,
  api,
};

function show(title: string, rows: Record<string, unknown> | readonly unknown[]): void {
  console.log(`\n${title}`);
  console.table(rows);
}

if (['stack', 'idle', 'relay', 'amplification', 'peers'].some(wanted)) {
  const built = spawnSync(process.execPath, [fileURLToPath(new URL('../build/build.ts', import.meta.url))], {
    stdio: 'inherit',
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
}

const counts = await countRequests();
if (wanted('requests')) {
  report.requests = counts;
  show('Requests a handled message costs (its send, receive and delete come on top)', counts);
}
if (wanted('memory')) {
  const figures = await measureInMemory(values.quick ? 200 : 2_000);
  report.inMemory = figures;
  show('The engine on in-memory parts, one thread', {
    'passes/s': round(figures.passesPerSecond),
    'bare requests, passes/s': round(figures.barePerSecond),
    ratio: round(figures.ratio, 2),
    'CPU ms/pass': round(figures.cpuMsPerPass, 2),
  });
}
if (wanted('plan')) {
  const figures = await measurePlan(values.quick ? 500 : 50_000);
  report.plan = figures;
  show('evenkeel plan of settled contracts, in one process with the cluster', {
    ...figures,
    seconds: round(figures.seconds),
    heapMb: round(figures.heapMb, 0),
  });
}
if (wanted('state')) {
  const count = values.quick ? 500 : 5_000;
  const figures = { normal: await measureStateFile(count, false), durable: await measureStateFile(count, true) };
  report.stateFile = figures;
  const row = ({ statementsPerPass, cpuMsPerPass, passesPerSecond }: typeof figures.normal) => ({
    'statements/pass': round(statementsPerPass),
    'CPU ms/pass': round(cpuMsPerPass, 3),
    'passes/s': round(passesPerSecond),
  });
  show('What a pass asks of the state file: send, receive, acquire, commit, delete', {
    'no durable value changes': row(figures.normal),
    'one changes, and is on the disk': row(figures.durable),
  });
}
if (wanted('stack')) {
  const plan = values.quick
    ? { contracts: 200, singleEdits: 50, stormSeconds: 5 }
    : { contracts: 1_000, singleEdits: 300, stormSeconds: 30 };
  const figures = await measureStack({ api, stormEditsPerSecond: 200, ...plan });
  report.stack = figures;
  show(`The whole stack, ${api} API server, queue and table embedded, on the same cores`, {
    'contracts right from a cold start, s': round(figures.coldStartSeconds),
    'passes/s': round(figures.coldStartPerSecond),
    'bare GET+GET+PATCH, passes/s': round(figures.barePerSecond),
    ratio: round(figures.efficiency, 2),
    'worker CPU ms/pass': round(figures.workerCpuMsPerPass, 2),
    'worker peak MB': round(figures.workerPeakMb, 0),
    'one edit to status, ms p50 / p99': `${round(figures.oneEditMs.p50)} / ${round(figures.oneEditMs.p99)}`,
    'bare edit and pass, ms p50 / p99': `${round(figures.bareEditMs.p50)} / ${round(figures.bareEditMs.p99)}`,
    'ratio p50 / p99': `${round(figures.latencyRatio.p50, 2)} / ${round(figures.latencyRatio.p99, 2)}`,
    'storm of 200 edits/s, ms p50 / p99': `${round(figures.stormMs.p50)} / ${round(figures.stormMs.p99)}`,
  });
}
if (sections?.includes('peers')) {
  const plan = values.quick
    ? { contracts: 200, singleEdits: 50, stormSeconds: 5, rounds: 1 }
    : { contracts: 1_000, singleEdits: 300, stormSeconds: 20, rounds: 3 };
  const contracts = values.contracts === undefined ? plan.contracts : Number(values.contracts);
  const options = { stormEditsPerSecond: 100, cpuProfiles: values['cpu-prof'] };
  const figures = await measurePeers({ ...plan, ...options, contracts });
  report.peers = figures;
  show('The same contracts and edits on the same real API server', peerRows(figures));
}
if (wanted('idle')) {
  const plan = values.quick ? { resources: 200, minutes: 1 } : { resources: 1_000, minutes: 10 };
  const figures = await measureIdle({ api, ...plan });
  report.idle = figures;
  show(`What ${figures.resources} idle resources cost in ${figures.minutes} min`, {
    'API requests a minute': round(figures.requestsPerMinute),
    'of them writes': round(figures.writesPerMinute),
    ...figures.requests,
  });
}
if (wanted('relay')) {
  const figures = await measureRelay(api, values.quick ? [1_000, 5_000] : [1_000, 10_000, 50_000]);
  report.relay = figures;
  show('The relay with so many Secrets of 4 KB', figures);
}
if (wanted('throughput')) {
  const figures = await measureThroughput(values.quick ? 5_000 : 50_000);
  report.throughput = figures;
  show('One relay on a replayed watch: changes a second of one kind', figures);
}
if (wanted('amplification')) {
  const plan = values.quick
    ? { readers: 800, loadSeconds: 40, revoked: 300, floodObjects: 3_000 }
    : { readers: 800, loadSeconds: 120, revoked: 1_000, floodObjects: 50_000 };
  const figures = await measureAmplification(plan);
  report.amplification = figures;
  show(
    `${plan.readers} contracts on one Secret that is edited twice a second; then a grant of ${plan.revoked} revoked`,
    {
      "another tenant's edit to status, ms p50 / p99": `${round(figures.otherTenantMs.p50)} / ${round(figures.otherTenantMs.p99)}`,
      'at most, ms': round(figures.otherTenantMaxMs),
      'messages that wait, at most': figures.backlog,
      'worker peak MB': round(figures.workerPeakMb, 0),
      [`revocation during a list of ${plan.floodObjects}, s`]: round(figures.revocationSeconds),
      'messages left then': figures.floodLeft,
    },
  );
}
if (wanted('bundles')) {
  const figures = await measureBundles();
  report.bundles = figures;
  show('Function bundles', figures);
}
if (wanted('cost')) {
  const perMillion = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, round(costPerMillion(counts[outcome]), 2)]),
  );
  const month = (await idleMonths()).function;
  report.cost = { assumptions: ASSUMPTIONS, perMillion, month };
  show('Dollars for a million handled messages, list prices', perMillion);
  show(
    `Dollars for a month of ${month.resources} idle resources: ${month.total.toFixed(2)}`,
    Object.fromEntries(Object.entries(month.items).map(([item, dollars]) => [item, round(dollars, 2)])),
  );
}

if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
