import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { alarmDefinitions } from '../../../infra/alarms.ts';
import { aStage } from '../a-stage.ts';
import {
  anotherDeploymentDrives,
  clusterIsRestored,
  connectionsAreCut,
  deadLettersOf,
  deadWakes,
  eventsAreLost,
  type Fault,
  functionIn,
  messagesDie,
  parameterIsWrong,
  passesDie,
  queueIsStuck,
  relayStops,
  resyncFindsNoAnswer,
  type Scene,
  settledClusterIsUnreachable,
  tableIsThrottled,
  timersComeLate,
  tokenIsRefused,
} from './faults.ts';

const HEALTHY_MINUTES = 60;
/** Alarms that report an event, which is over at once. */
const EVENTS = new Set(['ClusterRestored']);

/** Each alarm with the faults that it must report. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  RelaySilent: { 'the relay stops': relayStops },
  LostWakeups: { 'events are lost': eventsAreLost },
  NeedsPerson: { 'passes of an object die': passesDie },
  DeadlinesLate: { 'timers come 90 s late': timersComeLate },
  ClusterUnreachable: {
    'a cluster without changes does not answer the relay': settledClusterIsUnreachable,
    'a cluster without changes does not answer resync': resyncFindsNoAnswer,
  },
  ClusterRefused: {
    "a cluster's parameter is wrong": parameterIsWrong,
    'a cluster without changes refuses the token': tokenIsRefused,
  },
  ClusterRestored: { 'a cluster is restored from a backup': clusterIsRestored },
  DeploymentConflict: { 'another deployment drives a cluster without changes': anotherDeploymentDrives },
  TableThrottled: { 'the table is throttled': tableIsThrottled },
  SecretContractEventsDeadLetters: { 'a message dies': messagesDie(deadLettersOf('events')) },
  SecretContractResyncDeadLetters: { 'a message dies': messagesDie(deadLettersOf('resync')) },
  WakesDeadLetters: { 'a message dies': messagesDie(deadWakes) },
  SecretContractEventsBacklog: { 'nothing takes messages': queueIsStuck('events') },
  SecretContractResyncBacklog: { 'nothing takes messages': queueIsStuck('resync') },
  ...functionFaults('ReconcileSecretContract', 'reconcile-secret-contract'),
  ...functionFaults('Wake', 'wake'),
  ...scheduleFaults('Sweep', 'sweep'),
  ...scheduleFaults('Resync', 'resync'),
  ...scheduleFaults('Relay', 'relay'),
};

function functionFaults(name: string, key: string): Record<string, Record<string, Fault>> {
  return {
    [`${name}Failing`]: { [`${key} fails`]: functionIn('fails', key) },
    [`${name}Throttled`]: { [`${key} is throttled`]: functionIn('is throttled', key) },
  };
}

function scheduleFaults(name: string, key: string): Record<string, Record<string, Fault>> {
  return {
    ...functionFaults(name, key),
    [`${name}Stopped`]: { [`${key} is not called`]: functionIn('is not called', key) },
  };
}

/** The promises of docs/operations.md: alarm, fault, minutes until it fires, minutes until it clears. */
function promised(runbook: string): { readonly fires: number; readonly clears: number } {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const row = page.split('\n').find((line) => line.startsWith(`| [${runbook}](`));
  const [fires, clears] = (row ?? '').split('|').slice(3, 5).map(Number);
  if (fires === undefined || clears === undefined) throw new Error(`docs/operations.md promises nothing of ${runbook}`);
  return { fires, clears };
}

const stages = {
  'the default intervals': aStage(),
  'a sweep each 5 minutes': aStage({ settings: { intervals: { sweep: '5m' } } }),
};

const IDLE_STAGE = aStage({ settings: { intervals: { resync: '30m' } } });

const scenes: Scene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end?.();
});

async function play(fault: Fault, stage = stages['the default intervals']): Promise<Scene> {
  const scene = await fault(stage);
  scenes.push(scene);
  return scene;
}

const cases = Object.entries(FAULTS).flatMap(([alarm, faults]) =>
  Object.entries(faults).map(([title, fault]) => [alarm, title, fault] as const),
);

describe('the alarms of a stage', () => {
  it('R-5.22 each has a fault in this test when the stage has every function', () => {
    const names = alarmDefinitions(stages['the default intervals']).map(({ name }) => name);
    expect(Object.keys(FAULTS).sort()).toEqual(names.sort());
  });

  it.each(cases)('R-5.22 %s fires and clears in the promised minutes when %s', async (alarm, _title, fault) => {
    const { watched, ...scene } = await play(fault);
    const { runbook } = alarmDefinitions(watched.stage).find(({ name }) => name === alarm) ?? { runbook: '' };
    const promise = promised(runbook);
    // After the first deployment, and a second time after the alarm has cleared.
    for (const time of ['first', 'second']) {
      expect(await watched.run(HEALTHY_MINUTES, scene.healthy), time).not.toContain(alarm);
      expect(await watched.untilFiring(alarm, promise.fires, scene.broken), time).toBeDefined();
      // The alarm fires as long as the fault lasts.
      await watched.run(EVENTS.has(alarm) ? 0 : HEALTHY_MINUTES, scene.broken);
      expect(watched.firing(), time).toContain(alarm);
      await watched.run(promise.clears, scene.healthy);
      expect(watched.firing(), time).not.toContain(alarm);
    }
  });

  it.each([
    ['RelaySilent', relayStops],
    ['SweepFailing', functionIn('fails', 'sweep')],
    ['SweepThrottled', functionIn('is throttled', 'sweep')],
    ['SweepStopped', functionIn('is not called', 'sweep')],
  ] as const)('R-5.22 %s fires and clears when the sweep runs each 5 minutes', async (alarm, fault) => {
    const { watched, ...scene } = await play(fault, stages['a sweep each 5 minutes']);
    expect(await watched.run(HEALTHY_MINUTES, scene.healthy)).not.toContain(alarm);
    expect(await watched.untilFiring(alarm, 80, scene.broken)).toBeDefined();
    await watched.run(60, scene.healthy);
    expect(watched.firing()).not.toContain(alarm);
  });

  it.each([
    ['ClusterUnreachable', resyncFindsNoAnswer],
    ['ClusterRefused', tokenIsRefused],
    ['DeploymentConflict', anotherDeploymentDrives],
  ] as const)('R-5.22 %s fires as soon when resync compares each 30 minutes', async (alarm, fault) => {
    const { watched, ...scene } = await play(fault, IDLE_STAGE);
    await watched.run(HEALTHY_MINUTES, scene.healthy);
    expect(await watched.untilFiring(alarm, promised(alarm).fires, scene.broken)).toBeDefined();
  });

  it('R-5.22 none fires when a stage was just deployed and nothing has run yet', async () => {
    const { watched } = await play(functionIn('is not called', 'sweep'));
    expect([...(await watched.run(240, async () => {}))]).toEqual([]);
  });

  it('R-5.22 a dead letter keeps its alarm when SQS stops measuring the queue', async () => {
    const { watched, ...scene } = await play(FAULTS.WakesDeadLetters?.['a message dies'] as Fault);
    await watched.run(HEALTHY_MINUTES, scene.healthy);
    await watched.run(24 * 60, scene.broken);
    expect(watched.firing()).toEqual(['WakesDeadLetters']);
  });

  it('R-5.22 none fires when connections of a healthy cluster are cut each three minutes', async () => {
    const { watched, ...scene } = await play(connectionsAreCut);
    const fired = await watched.run(120, async () => {
      await (watched.isDue(180_000) ? scene.broken() : scene.healthy());
    });
    expect([...fired]).toEqual([]);
  });
});
