import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { functionTimeoutSeconds } from '../../infra/function-times.ts';
import { functions, scheduleMs } from '../../infra/functions.ts';
import { relayParameter } from '../../infra/relay-parameter.ts';
import { latestStartMs } from '../../lib/core/lease.ts';
import { readCloudEnvironment } from '../../lib/deployment/cloud/cloud-environment.ts';
import { BEFORE_INVOCATION_MS } from '../../lib/deployment/handlers/received-messages.ts';
import { deploymentTimings } from '../../lib/engine/deployment-lease/deployment-timings.ts';
import { aRichStage, aStage } from './a-stage.ts';

describe('functionTimeoutSeconds', () => {
  it('R-5.5 a reconcile function ends before its messages are visible again, and has time for a pass', () => {
    const stage = aStage();
    const { visibilityMs, clockSkewMs, passLimitMs, leaseMs } = stage.settings.timings;
    const endsMs = functionTimeoutSeconds(stage, 'reconcile') * 1_000;
    expect(endsMs).toBeLessThanOrEqual(visibilityMs - clockSkewMs);
    expect(endsMs).toBeGreaterThan(passLimitMs);
    expect(leaseMs).toBeGreaterThan(passLimitMs);
    expect(latestStartMs(stage.settings.timings, 0)).toBeGreaterThan(BEFORE_INVOCATION_MS);
  });

  it('R-5.5 a time that leaves none for a pass, or lets no message that comes again be started, is refused', () => {
    const tight = { passLimit: '20s', lease: '30s', grace: '3s', visibility: '35s', clockSkew: '2s' };
    const stage = aStage({ settings: { timings: tight } });
    expect(() => functionTimeoutSeconds(stage, 'reconcile')).toThrow(
      /stage test: timings\.visibility must be 6 s longer/,
    );
  });

  it('R-5.7 the relay has time for a shift, its relief and its last checkpoint, and Lambda allows it', () => {
    expect(functionTimeoutSeconds(aStage(), 'relay')).toBe(90 + 720 + 30);
  });
});

describe('functions', () => {
  const all = functions(aRichStage(), '1.2.3');

  it('R-5.12 there is one reconcile function for each controller group, and one for each other part', () => {
    expect(Object.keys(all)).toEqual([
      'reconcile-control-plane',
      'reconcile-secret-contract',
      'reconcile-t4',
      'wake',
      'sweep',
      'resync',
      'relay',
    ]);
  });

  it('R-6.3 a container that relays takes the place of the function', () => {
    expect(Object.keys(functions(aStage({ cloud: { relay: 'container' } }), '1'))).not.toContain('relay');
    expect(Object.keys(functions(aStage({ settings: { intervals: { resync: 'off' } } }), '1'))).not.toContain('resync');
  });

  it('R-5.9 a group has its two queues as sources, each with a bound of its own', () => {
    const { events } = all['reconcile-t4'] as { events: { sqs: Record<string, unknown> }[] };
    expect(events.map(({ sqs }) => sqs)).toMatchObject([
      { arn: { 'Fn::GetAtt': ['T4EventsQueue', 'Arn'] }, functionResponseType: 'ReportBatchItemFailures' },
      { arn: { 'Fn::GetAtt': ['T4ResyncQueue', 'Arn'] }, functionResponseType: 'ReportBatchItemFailures' },
    ]);
  });

  it('R-5.12 only who reaches clusters has an identity, and only who compares content its key', () => {
    const has = (variable: string) =>
      Object.keys(all).filter((key) => variable in (all[key] as { environment: object }).environment);
    expect(has('EVENKEEL_IDENTITY')).toEqual([
      'reconcile-control-plane',
      'reconcile-secret-contract',
      'reconcile-t4',
      'resync',
      'relay',
    ]);
    expect(has('EVENKEEL_DIGEST_KEY')).toEqual(['reconcile-secret-contract', 'reconcile-t4']);
  });

  it('R-6.3 scheduled functions run as often as the settings say', () => {
    const stage = aStage({ settings: { intervals: { sweep: '2m', resync: '3m' } } });
    expect(['sweep', 'resync', 'relay', 'wake'].map((part) => scheduleMs(stage, part as 'wake'))).toEqual([
      120_000, 180_000, 60_000, 0,
    ]);
    expect(functions(stage, '1').sweep).toMatchObject({ events: [{ schedule: { rate: ['rate(2 minutes)'] } }] });
    expect(functions(stage, '1').relay).toMatchObject({ events: [{ schedule: { rate: ['rate(1 minute)'] } }] });
  });
});

describe('resync', () => {
  it('R-1.10 is called often enough to keep the Leases of an idle deployment when it compares once an hour', () => {
    const stage = aStage({ settings: { intervals: { resync: '1h' } } });
    expect(3 * scheduleMs(stage, 'resync')).toBeLessThanOrEqual(deploymentTimings().durationMs);
  });
});

describe('relayParameter', () => {
  it('R-6.3 a container gets all variables of the function, in addition to the settings', () => {
    const stage = aStage({ cloud: { relay: 'container' } });
    const { Value } = { Value: undefined, ...relayParameter(stage, '1.2.3').RelayVariables?.Properties };
    const { 'Fn::Sub': template = '' } = Value as unknown as { 'Fn::Sub'?: string };
    // As CloudFormation would: each name by something that stands for what it is called.
    const text = template.replace(/\$\{(\w+)(\.Arn)?\}/g, (_, id) =>
      id === 'Table' ? 'evenkeel-test' : `https://sqs/${id}`,
    );
    const environment = readCloudEnvironment({
      ...(JSON.parse(text) as Record<string, string>),
      EVENKEEL_SETTINGS: '{}',
      AWS_REGION: 'eu-central-1',
    });
    expect(environment).toMatchObject({
      EVENKEEL_STAGE: 'test',
      EVENKEEL_VERSION: '1.2.3',
      EVENKEEL_IDENTITY: 'relay',
      EVENKEEL_TABLE: 'evenkeel-test',
      EVENKEEL_WAKES: 'https://sqs/WakesQueue',
    });
    expect(environment.EVENKEEL_QUEUES['secret-contract']?.events).toEqual({
      queue: 'https://sqs/SecretContractEventsQueue',
      dead: 'https://sqs/SecretContractEventsDeadQueue',
    });
    expect(relayParameter(aStage(), '1')).toEqual({});
  });
});

describe('the variables of a function', () => {
  it('R-5.23 fit into 4 KB when a stage has every group and is limited to many namespaces', () => {
    const namespaces = Array.from(
      { length: 100 },
      (_, index) => `namespace-of-a-team-with-a-rather-long-name-${index}`,
    );
    const groups = { 'secret-contract': {}, t4: {}, 'control-plane': {} };
    const stage = aStage({ settings: { groups, scope: { namespaces } } }, 'a-long-name-of-stage');
    expect(functions(stage, '0.0.0').sweep).toMatchObject({
      environment: { EVENKEEL_SETTINGS: expect.stringMatching(/^gzip:/) },
    });
  });

  it('R-5.23 are refused before anything is deployed when they are longer', () => {
    const name = (index: number) => createHash('sha256').update(`${index}`).digest('hex').slice(0, 40);
    const namespaces = Array.from({ length: 90 }, (_, index) => name(index));
    const stage = aStage({
      settings: { groups: { 'secret-contract': {}, t4: {}, 'control-plane': {} }, scope: { namespaces } },
    });
    expect(() => functions(stage, '0.0.0')).toThrow(/stage test: the variables of a function take \d+ bytes/);
  });
});
