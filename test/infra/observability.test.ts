import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { alarmDefinitions, alarms } from '../../infra/alarms.ts';
import { dashboard, sections } from '../../infra/dashboard.ts';
import { AWS_METRICS } from '../../infra/widget-metrics.ts';
import { METRICS, type MetricName } from '../../lib/ports/metrics.ts';
import { aRichStage, aStage } from './a-stage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Names of metrics that some code records. */
function recorded(): Set<string> {
  const files = globSync(['lib/{engine,controllers,deployment}/**/*.ts', '{functions,cli}/**/*.ts'], { cwd: ROOT });
  const names = files.flatMap((file) =>
    [...readFileSync(`${ROOT}/${file}`, 'utf8').matchAll(/\brecord\(\s*'(\w+)'/g)].map(([, name = '']) => name),
  );
  return new Set(names);
}

/** Of our own metrics: what the graphs of a stage show. */
function shown(): MetricName[] {
  const text = JSON.stringify(sections(aRichStage()));
  return [...new Set([...text.matchAll(/MetricName=\\+"(\w+)\\+"/g)].map(([, name = '']) => name))] as MetricName[];
}

const runbook = readFileSync(`${ROOT}/docs/operations.md`, 'utf8');

describe('the list of metrics', () => {
  it('R-5.13 each one is recorded by code, and on the dashboard', () => {
    const names = Object.keys(METRICS).sort();
    expect([...recorded()].sort()).toEqual(names);
    expect(shown().sort()).toEqual(names);
  });
});

describe('dashboard', () => {
  const made = dashboard(aRichStage()).Dashboard?.Properties.DashboardBody as { 'Fn::Sub': string };
  const body = JSON.parse(made['Fn::Sub']) as {
    widgets: {
      type: string;
      x: number;
      y: number;
      width: number;
      height: number;
      properties: { metrics: unknown[][] };
    }[];
  };

  it('R-5.13 its graphs lie beside and below each other', () => {
    const cells = new Set<string>();
    for (const { x, y, width, height } of body.widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column += 1) {
        for (let row = y; row < y + height; row += 1) {
          expect(cells.has(`${column} ${row}`)).toBe(false);
          cells.add(`${column} ${row}`);
        }
      }
    }
  });

  it('R-5.13 a graph finds a metric by exactly the dimensions that it is recorded with', () => {
    const searches = JSON.stringify(body).matchAll(
      /SEARCH\('\{\\\\?"evenkeel\/test\\\\?",([\w,]*)\} MetricName=\\\\?"(\w+)\\\\?"/g,
    );
    let count = 0;
    for (const [, dimensions = '', name = ''] of searches) {
      expect(dimensions.split(',')).toEqual(METRICS[name as MetricName].dimensions);
      count += 1;
    }
    expect(count).toBeGreaterThanOrEqual(Object.keys(METRICS).length);
  });

  it('R-5.23 a graph quotes the namespace when the name of the stage has a dash', () => {
    const text = JSON.stringify(sections(aStage({}, 'prod-eu')));
    expect(text).toContain(`SEARCH('{\\\\"evenkeel/prod-eu\\\\",Group,Kind} MetricName=`.replaceAll('\\\\', '\\'));
  });

  it("R-5.13 of AWS' metrics a graph names the dimension that AWS gives them", () => {
    const series = body.widgets.flatMap(({ properties }) => properties.metrics ?? []);
    for (const [namespace, name, dimension] of series.filter(([first]) => typeof first === 'string')) {
      const known = AWS_METRICS[namespace as keyof typeof AWS_METRICS];
      expect(known.names).toContain(name);
      expect(known.dimensions).toEqual([dimension]);
    }
  });

  it('R-5.22 a graph queries the log for exactly the metrics and dimensions that lines have when metrics are for alarms', () => {
    const graphs = sections(aStage({ cloud: { metrics: 'alarms' } })).flatMap((section) => section.graphs);
    const queries = graphs.flatMap(({ shows }) => ('query' in shows ? [shows] : []));
    const shownNames = queries.flatMap(({ query }) =>
      [...query.matchAll(/ispresent\((\w+)\)/g)].map(([, name = '']) => name),
    );
    expect([...new Set(shownNames)].sort()).toEqual(Object.keys(METRICS).sort());
    for (const { query, view } of queries) {
      expect(query).toMatch(/^SOURCE '\/aws\/lambda\/evenkeel-test-reconcile-secret-contract' \| SOURCE /);
      const names = [...query.matchAll(/ispresent\((\w+)\)/g)].map(([, name]) => name as MetricName);
      const [, by = ''] = /stats .* by ([^|]+?)( \||$)/.exec(query) ?? [];
      const dimensions = view === 'table' ? by.split(', ') : [];
      expect(view === 'table' || by === 'bin(5m)', query).toBe(true);
      for (const name of names) expect(METRICS[name].dimensions, query).toEqual(expect.arrayContaining(dimensions));
    }
  });

  it('R-5.13 ids are unique within a graph', () => {
    for (const { properties } of body.widgets) {
      const ids = (properties.metrics ?? []).flatMap((metric) =>
        metric.map((part) => (part as { id?: string }).id ?? []),
      );
      expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    }
  });
});

describe('alarms', () => {
  const stages = { plain: aStage(), rich: aRichStage(), container: aStage({ cloud: { relay: 'container' } }) };

  it.each(Object.entries(stages))('R-5.13 each alarm of a %s stage watches a metric that is there', (_, stage) => {
    for (const { metric, name } of alarmDefinitions(stage)) {
      // Alarms know no search: they need the series without dimensions.
      if ('own' in metric) expect(METRICS[metric.own], name).toHaveProperty('total', true);
      else expect(AWS_METRICS[metric.aws].names, name).toContain(metric.name);
    }
  });

  it('R-5.13 the metrics without dimensions are the metrics of the alarms', () => {
    const totals = Object.entries(METRICS).filter(([, definition]) => 'total' in definition);
    const watched = alarmDefinitions(stages.rich).flatMap(({ metric }) => ('own' in metric ? [metric.own] : []));
    expect(watched.sort()).toEqual(totals.map(([name]) => name).sort());
  });

  it('R-5.13 each alarm has a runbook in docs/operations.md', () => {
    const headings = new Set([...runbook.matchAll(/^#{2,4} (\w+)$/gm)].map(([, heading]) => heading));
    const wanted = new Set(alarmDefinitions(stages.rich).map((definition) => definition.runbook));
    expect([...wanted].filter((heading) => !headings.has(heading))).toEqual([]);
  });

  it('R-5.13 no alarm uses metric math, and each one notifies the topic when it starts and when it ends', () => {
    for (const [id, { Properties }] of Object.entries(alarms(stages.rich))) {
      expect(Properties, id).toMatchObject({
        MetricName: expect.any(String),
        AlarmActions: ['arn:aws:sns:eu-central-1:1:oncall'],
        OKActions: ['arn:aws:sns:eu-central-1:1:oncall'],
      });
      expect(Properties).not.toHaveProperty('Metrics');
      // CloudWatch's limits for what it looks back at.
      const lookMs = Number(Properties.Period) * Number(Properties.EvaluationPeriods);
      expect(lookMs).toBeLessThanOrEqual(86_400);
      expect(Number(Properties.Period) % 60).toBe(0);
    }
  });

  it('R-5.13 names are unique', () => {
    const names = alarmDefinitions(stages.rich).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
