import type { KubeObject } from '../../lib/core/kube-object.ts';
import { ConfigMaps, Secrets } from '../../lib/core/resource-type.ts';
import { InfrastructureError } from '../../lib/core/errors.ts';
import { ApiError } from '../../lib/ports/cluster-api.ts';
import { Simulation } from '../../lib/testing/simulation/simulation.ts';
import { WIDGET_DEFINITION, Widgets } from '../support/widget.ts';
import { copier, copyName, expectedStatus, secretName, valueOf } from './copier.ts';
import { jsonEqual } from '../../lib/core/json-merge.ts';

export async function runSeed(seed: number, keepTrace = false) {
  const sim = new Simulation({ seed, controllers: [copier], keepTrace });
  const { scheduler, direct } = sim;
  await sim.install([WIDGET_DEFINITION]);
  await direct.create({ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'evenkeel-system' } }, { fieldManager: 'user' });
  const skew = () => scheduler.pick(3_000) - 1_500;
  const roles: [string, typeof sim.worker][] = [['worker-1', sim.worker], ['worker-2', sim.worker], ['relay-1', sim.relay], ['relay-2', sim.relay], ['sweep', sim.sweep]];
  for (const [role, body] of roles) sim.start(role, body, skew());
  let chaos = true;
  const rates = { fail: scheduler.entropy.random() * 0.05, lose: scheduler.entropy.random() * 0.05, repeat: 0.01 };
  sim.faults = (process, port) => {
    if (!chaos) return { type: 'answer' };
    const error = port === 'api' ? new ApiError(scheduler.chance(0.5) ? 'Timeout' : 'ServerError', 'simulated') : new InfrastructureError('simulated');
    const roll = scheduler.entropy.random();
    if (roll < rates.fail) return { type: 'fail', error };
    if (roll < rates.fail + rates.lose) return { type: 'lose', error };
    if (roll < rates.fail + rates.lose + rates.repeat && port === 'store') return { type: 'repeat' };
    return { type: 'answer' };
  };
  let finished = false;
  sim.start('user', async (process) => {
    for (let action = 0; action < 40; action += 1) {
      await process.clock.sleep(scheduler.pick(20_000));
      await act(sim);
    }
    finished = true;
    await new Promise(() => undefined);
  });
  sim.start('chaos', async (process) => {
    while (!finished) {
      await process.clock.sleep(scheduler.pick(30_000));
      const role = roles[scheduler.pick(roles.length)]![0];
      const kind = scheduler.pick(4);
      if (kind <= 1) sim.restart(role, skew());
      else if (kind === 2) {
        const target = sim.processes.get(role)!.process;
        target.pausedUntilMs = scheduler.now() + scheduler.pick(90_000);
        scheduler.trace.step(scheduler.now(), target.name, `PAUSED until ${target.pausedUntilMs}`);
      } else sim.server.compact();
    }
    await new Promise(() => undefined);
  });
  await sim.runUntil(() => finished, { steps: 200_000 });
  chaos = false;
  for (const [role, body] of roles) if (!sim.processes.get(role)!.process.alive) sim.start(role, body, skew());
  const calmAt = scheduler.now();
  await sim.runUntil(() => false, { steps: 400_000, untilMs: calmAt + 25 * 60_000 });
  const faults = await check(sim);
  sim.server.requests.clear();
  await sim.runUntil(() => false, { steps: 400_000, untilMs: scheduler.now() + 30 * 60_000 });
  for (const write of sim.server.requests.writes({ userAgent: 'evenkeel' })) if (write.resource !== 'leases') faults.push(`I5 ${write.verb} ${write.resource} ${write.name}`);
  return { seed, faults, steps: scheduler.steps, digest: scheduler.trace.digest(), sim };
}

async function act(sim: Simulation): Promise<void> {
  const { scheduler, direct } = sim;
  const name = `w${scheduler.pick(3)}`;
  const secret = `s${scheduler.pick(3)}`;
  const options = { fieldManager: 'user' };
  const get = async (type: typeof Widgets, object: string) => await direct.get(type, { namespace: 'default', name: object }).catch(() => undefined);
  const log = (what: string) => scheduler.trace.step(scheduler.now(), 'user', what);
  switch (scheduler.pick(8)) {
    case 0:
    case 1:
    case 2: {
      const widget = await get(Widgets, name);
      const spec = { size: scheduler.pick(100), secret, counts: scheduler.chance(0.4) };
      log(`${widget === undefined ? 'creates' : 'edits'} ${name} ${JSON.stringify(spec)}`);
      if (widget === undefined) await direct.create(Widgets, { apiVersion: 'test.evenkeel.dev/v1', kind: 'Widget', metadata: { namespace: 'default', name }, spec }, options);
      else await direct.patch(Widgets, { namespace: 'default', name }, { type: 'merge', patch: { spec } }, options);
      return;
    }
    case 3: {
      const widget = await get(Widgets, name);
      if (widget === undefined) return;
      log(`deletes ${name}`);
      await direct.delete(Widgets, { namespace: 'default', name }, { preconditions: { uid: widget.metadata.uid } });
      return;
    }
    case 4:
    case 5: {
      const found = await get(Secrets, secret);
      const data = { value: Buffer.from(String(scheduler.pick(1_000))).toString('base64') };
      log(`${found === undefined ? 'creates' : 'edits'} ${secret}`);
      if (found === undefined) await direct.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: secret }, data }, options);
      else await direct.patch(Secrets, { namespace: 'default', name: secret }, { type: 'merge', patch: { data } }, options);
      return;
    }
    case 6: {
      const found = await get(Secrets, secret);
      if (found === undefined) return;
      log(`deletes ${secret}`);
      await direct.delete(Secrets, { namespace: 'default', name: secret }, { preconditions: { uid: found.metadata.uid } });
      return;
    }
    case 7: {
      const copy = await get(ConfigMaps, `copy-${name}`);
      if (copy === undefined) return;
      if (scheduler.chance(0.5)) {
        log(`edits copy-${name}`);
        await direct.patch(ConfigMaps, { namespace: 'default', name: `copy-${name}` }, { type: 'merge', patch: { data: { size: 'edited' } } }, options);
      } else {
        log(`deletes copy-${name}`);
        await direct.delete(ConfigMaps, { namespace: 'default', name: `copy-${name}` }, { preconditions: { uid: copy.metadata.uid } });
      }
      return;
    }
  }
}

async function check(sim: Simulation): Promise<string[]> {
  const faults: string[] = [];
  const widgets = (await sim.direct.list(Widgets)).items;
  const secrets = (await sim.direct.list(Secrets, { namespace: 'default' })).items;
  const copies = (await sim.direct.list(ConfigMaps, { namespace: 'default' })).items;
  for (const widget of widgets) {
    const secret = secrets.find(({ metadata }) => metadata.name === secretName(widget));
    const wanted = expectedStatus(widget, secret, (widget.spec as { counts?: boolean }).counts === true ? secrets.length : -1);
    if (widget.metadata.deletionTimestamp !== undefined) faults.push(`I2 ${widget.metadata.name} is still deleting`);
    else if (!jsonEqual(widget.status, wanted)) faults.push(`I2 ${widget.metadata.name} says ${JSON.stringify(widget.status)}, should ${JSON.stringify(wanted)}`);
    const copy = copies.find(({ metadata }) => metadata.name === copyName(widget).name);
    if (!jsonEqual(copy?.data, { value: valueOf(secret), size: String((widget.spec as { size: number }).size) })) faults.push(`I2 copy of ${widget.metadata.name}: ${JSON.stringify(copy?.data)}`);
  }
  for (const copy of copies) if (!widgets.some((widget: KubeObject) => copyName(widget).name === copy.metadata.name)) faults.push(`orphan ${copy.metadata.name}`);
  const { targets, edges } = sim.store.contents();
  for (const { target } of targets) if (!widgets.some(({ metadata }) => metadata.uid === target.uid)) faults.push(`LEAKITEM ${target.name} ${target.uid}`);
  for (const edge of edges) if (!targets.some((state) => state.target.uid === edge.reader.uid && state.edges.includes(edge.key))) faults.push(`LEAKEDGE ${edge.key} of ${edge.reader.name}`);
  for (const state of targets) for (const key of state.edges) if (!edges.some((edge) => edge.key === key && edge.reader.uid === state.target.uid)) faults.push(`MISSEDGE ${key} of ${state.target.name}`);
  return faults;
}

const [from = '1', count = '20', keep] = process.argv.slice(2);
const started = performance.now();
let steps = 0;
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const result = await runSeed(seed, keep !== undefined);
  steps += result.steps;
  if (result.faults.length > 0) console.log(seed, result.faults);
  if (keep !== undefined) for (const line of result.sim.scheduler.trace.lines) console.log(new Date(line.atMs).toISOString().slice(11, 23), line.who.padEnd(12), line.what);
}
console.log(`${steps} steps in ${Math.round(performance.now() - started)} ms`);
