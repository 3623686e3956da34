import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCloudEnvironment } from '../../../lib/deployment/cloud/cloud-environment.ts';
import {
  cloudSettings,
  decodeCloudSettings,
  encodeCloudSettings,
} from '../../../lib/deployment/cloud/cloud-settings.ts';

const URL = 'https://sqs.eu-central-1.amazonaws.com/1/q';
const GOOD = {
  AWS_REGION: 'eu-central-1',
  EVENKEEL_STAGE: 'prod',
  EVENKEEL_VERSION: '1.0.0',
  EVENKEEL_SETTINGS: '{}',
  EVENKEEL_TABLE: 'evenkeel-prod',
  EVENKEEL_DEPLOYMENT: 'arn:x',
  EVENKEEL_QUEUES: JSON.stringify({ t4: { events: { queue: URL, dead: URL }, resync: { queue: URL, dead: URL } } }),
  EVENKEEL_WAKES: URL,
};

describe('readCloudEnvironment', () => {
  it('R-6.3 reads the text that a deployment writes', () => {
    const read = readCloudEnvironment({ ...GOOD, PATH: '/bin', EVENKEEL_IDENTITY: 'relay' });
    expect(read.EVENKEEL_QUEUES.t4?.events.queue).toBe(URL);
    expect(read).toMatchObject({ EVENKEEL_LOG_LEVEL: 'info', EVENKEEL_IDENTITY: 'relay' });
  });

  it('R-6.4 each variable that is missing or unreadable is named, and no value', () => {
    expect(() =>
      readCloudEnvironment({
        ...GOOD,
        EVENKEEL_TABLE: undefined,
        EVENKEEL_QUEUES: '{"hunter2"',
        EVENKEEL_WAKES: 'hunter2',
      }),
    ).toThrow(
      "this function's variables are not what its release writes: EVENKEEL_TABLE is missing; EVENKEEL_QUEUES is unreadable; EVENKEEL_WAKES is unreadable. Deploy the stage again.",
    );
  });
});

describe('the settings of a deployment', () => {
  it('R-6.3 are those of its file, and its installation is called like the stage', () => {
    const written = { intervals: { resync: '10m' } };
    const settings = decodeCloudSettings('prod', encodeCloudSettings(written));
    expect(settings).toEqual(cloudSettings('prod', written));
    expect(settings).toMatchObject({ installation: 'prod', intervals: { resyncMs: 600_000 } });
    expect(cloudSettings('prod', { installation: 'other' }).installation).toBe('other');
  });

  it('R-6.4 that do not fit into a function are refused before they are deployed', () => {
    const namespaces = Array.from({ length: 200 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'));
    expect(() => encodeCloudSettings({ scope: { namespaces } })).toThrow(/take \d+ characters.*Limit the scope/);
  });

  it('R-5.23 are packed, and read again as they were written, when they are longer than a variable may be', () => {
    const written = {
      scope: {
        namespaces: Array.from({ length: 100 }, (_, index) => `namespace-of-a-team-with-a-rather-long-name-${index}`),
      },
    };
    const text = encodeCloudSettings(written);
    expect(JSON.stringify(written).length).toBeGreaterThan(4_096);
    expect(text.length).toBeLessThan(4_000);
    expect(decodeCloudSettings('prod', text)).toEqual(cloudSettings('prod', written));
  });

  it('R-6.8 are written as an earlier release reads them when that release could write them', () => {
    const written = { scope: { namespaces: Array.from({ length: 100 }, (_, index) => `namespace-number-${index}`) } };
    expect(JSON.parse(encodeCloudSettings(written))).toEqual(written);
  });

  it('R-6.4 that no release wrote are reported without their text', () => {
    for (const text of ['hunter2', '{"nothing": 1}']) {
      expect(() => decodeCloudSettings('prod', text)).toThrow(
        /^the variable EVENKEEL_SETTINGS .* Deploy the stage again\.$/,
      );
    }
  });
});
