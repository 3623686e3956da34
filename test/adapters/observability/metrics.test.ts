import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type MetricsEndpoint, serveMetrics } from '../../../lib/adapters/observability/metrics-endpoint.ts';
import { PowertoolsMetrics } from '../../../lib/adapters/observability/powertools-metrics.ts';
import { PrometheusMetrics } from '../../../lib/adapters/observability/prometheus-metrics.ts';
import { METRICS, type MetricDimensions, type MetricName, type Metrics } from '../../../lib/ports/metrics.ts';
import { RecordedLines } from './recorded-lines.ts';

/** Records every metric once. */
function recordAll(metrics: Metrics): void {
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const dimensions = Object.fromEntries(
      METRICS[name].dimensions.map((dimension) => [dimension, `some-${dimension}`]),
    );
    metrics.record(name, 1, dimensions as MetricDimensions<typeof name>);
  }
}

const TOKEN = 'a-token';
const headers = { authorization: `Bearer ${TOKEN}` };
const PASS = { Group: 'secret-contract', Kind: 'secretcontracts.evenkeel.dev' };

describe('PrometheusMetrics', () => {
  it('R-5.13 every metric is exposed, counts as counters and durations as histograms in seconds', async () => {
    const metrics = new PrometheusMetrics();
    recordAll(metrics);
    const text = await metrics.exposition();
    for (const [name, { unit }] of Object.entries(METRICS)) {
      const snake = name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
      expect(text).toContain(unit === 'Count' ? `evenkeel_${snake}_total{` : `evenkeel_${snake}_seconds_bucket{`);
    }
  });

  it('counts are added up and milliseconds become seconds', async () => {
    const metrics = new PrometheusMetrics();
    metrics.record('EventCovered', 2, PASS);
    metrics.record('EventCovered', 3, PASS);
    metrics.record('PassDuration', 1_500, PASS);
    const text = await metrics.exposition();
    expect(text).toContain(
      'evenkeel_event_covered_total{group="secret-contract",kind="secretcontracts.evenkeel.dev"} 5',
    );
    expect(text).toContain(
      'evenkeel_pass_duration_seconds_sum{group="secret-contract",kind="secretcontracts.evenkeel.dev"} 1.5',
    );
  });

  it('R-2.1 the series of an object exists exactly as long as the object', async () => {
    const metrics = new PrometheusMetrics();
    const object = { cluster: 'local', kind: 'secretcontracts.evenkeel.dev', namespace: 'a', name: 'b' };
    metrics.set({ ...object, uid: 'u' } as typeof object, 'Unknown');
    const series = 'evenkeel_object_ready{cluster="local",kind="secretcontracts.evenkeel.dev",namespace="a",name="b"}';
    expect(await metrics.exposition()).toContain(`${series} -1`);
    metrics.set(object, 'True');
    expect(await metrics.exposition()).toContain(`${series} 1`);
    metrics.set(object, 'False');
    expect(await metrics.exposition()).toContain(`${series} 0`);
    metrics.remove({ ...object, uid: 'u' } as typeof object);
    expect(await metrics.exposition()).not.toContain('evenkeel_object_ready{');
    metrics.remove(object);
  });
});

describe('PowertoolsMetrics for alarms alone', () => {
  it('R-5.22 alarm metrics become series without dimensions, and the others log lines', () => {
    const output = new RecordedLines();
    const metrics = new PowertoolsMetrics('evenkeel/prod', output, 'alarms');
    recordAll(metrics);
    metrics.record('PassDuration', 7, PASS);
    metrics.record('PassDuration', 9, PASS);
    metrics.flush();
    const lines = output.lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    const series = lines.flatMap(({ _aws }) => {
      const written = _aws as
        | { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] }
        | undefined;
      return (written?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics: found }) => {
        expect(Dimensions).toEqual([[]]);
        return found.map(({ Name }) => Name);
      });
    });
    const watched = Object.entries(METRICS).flatMap(([name, definition]) => ('total' in definition ? [name] : []));
    expect(series.sort()).toEqual(watched.sort());
    for (const name of Object.keys(METRICS)) {
      const line = lines.find((fields) => name in fields);
      for (const dimension of METRICS[name as MetricName].dimensions) {
        expect(line?.[dimension], name).toBe(`some-${dimension}`);
      }
    }
    expect(lines.filter(({ PassDuration, Group }) => PassDuration !== undefined && Group === PASS.Group)).toMatchObject(
      [{ PassDuration: 7 }, { PassDuration: 9 }],
    );
  });
});

describe('PowertoolsMetrics', () => {
  interface Emf {
    _aws: {
      CloudWatchMetrics: [{ Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }];
    };
    [field: string]: unknown;
  }
  const emf = (output: RecordedLines) => output.lines.map((line) => JSON.parse(line) as Emf);

  it('R-5.13 every metric is written with exactly its dimensions', () => {
    const output = new RecordedLines();
    const metrics = new PowertoolsMetrics('evenkeel/test', output);
    recordAll(metrics);
    metrics.flush();
    const seen = new Map<string, string[][]>();
    for (const { _aws } of emf(output)) {
      const [{ Namespace, Dimensions, Metrics: definitions }] = _aws.CloudWatchMetrics;
      expect(Namespace).toBe('evenkeel/test');
      for (const { Name, Unit } of definitions) {
        expect(Unit).toBe(METRICS[Name as MetricName].unit);
        seen.set(Name, Dimensions);
      }
    }
    for (const [name, definition] of Object.entries(METRICS)) {
      const own = [...definition.dimensions].sort();
      // A metric with an alarm also has a series over all dimensions, without any dimension.
      const sets = 'total' in definition ? [own, []] : [own];
      expect(seen.get(name)?.map((set) => [...set].sort())).toEqual(sets);
    }
  });

  it('counts are summed, durations are kept, and one line has one set of dimensions', () => {
    const output = new RecordedLines();
    const metrics = new PowertoolsMetrics('evenkeel/test', output);
    metrics.record('EventCovered', 2, PASS);
    metrics.record('EventCovered', 3, { Kind: PASS.Kind, Group: PASS.Group });
    metrics.record('PassDuration', 10, PASS);
    metrics.record('PassDuration', 20, PASS);
    metrics.record('EventCovered', 1, { ...PASS, Kind: 'other' });
    metrics.flush();
    const lines = emf(output);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ ...PASS, EventCovered: 5, PassDuration: [10, 20] });
    expect(lines[1]).toMatchObject({ Kind: 'other', EventCovered: 1 });
  });

  it('values beyond the limit of a line go into the next one, none lost and no count twice', () => {
    const output = new RecordedLines();
    const metrics = new PowertoolsMetrics('evenkeel/test', output);
    metrics.record('EventCovered', 7, PASS);
    for (let ms = 0; ms < 250; ms++) metrics.record('PassDuration', ms, PASS);
    metrics.flush();
    const lines = emf(output);
    expect(lines.flatMap(({ PassDuration }) => PassDuration)).toEqual(Array.from({ length: 250 }, (_, ms) => ms));
    expect(lines.map(({ EventCovered }) => EventCovered)).toEqual([7, undefined, undefined]);
  });

  it('nothing is written twice, and nothing when nothing was recorded', () => {
    const output = new RecordedLines();
    const metrics = new PowertoolsMetrics('evenkeel/test', output);
    metrics.flush();
    metrics.record('WakeSent', 1, { Group: 'g' });
    metrics.flush();
    metrics.flush();
    expect(output.lines).toHaveLength(1);
  });
});

describe('serveMetrics', () => {
  const endpoints: MetricsEndpoint[] = [];
  afterEach(async () => {
    await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
  });
  async function serve(): Promise<{ url: string; metrics: PrometheusMetrics }> {
    const metrics = new PrometheusMetrics();
    const endpoint = await serveMetrics(metrics, 0, TOKEN);
    endpoints.push(endpoint);
    return { url: endpoint.url, metrics };
  }

  it('the endpoint serves the recorded metrics, on loopback', async () => {
    const { url, metrics } = await serve();
    metrics.record('WakeSent', 4, { Group: 'g' });
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const response = await fetch(url, { headers });
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toContain('evenkeel_wake_sent_total{group="g"} 4');
  });

  it('the endpoint answers 404 for other paths and 405 for writes', async () => {
    const { url } = await serve();
    expect((await fetch(new URL('/', url), { headers })).status).toBe(404);
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(405);
  });

  it('R-6.4 the error names a port in use, with what to do', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const { port } = blocker.address() as AddressInfo;
    await expect(serveMetrics(new PrometheusMetrics(), port, TOKEN)).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining(`port ${port} of 127.0.0.1, wanted for the metrics, is in use`),
    });
    await new Promise((resolve) => blocker.close(resolve));
  });
});
