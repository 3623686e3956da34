import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PrometheusMetrics } from '../../lib/adapters/observability/prometheus-metrics.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { anchors } from '../architecture/words.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(`${ROOT}/${file}`, 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { spec } = parse(read('infra/container/monitoring/rules.yaml')) as {
  spec: { groups: { rules: Rule[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('infra/container/monitoring/dashboard.json')) as { panels: Panel[] };

/** The labels of each series that a process's endpoint serves, by name. */
async function served(): Promise<Map<string, string[]>> {
  const exposition = await new PrometheusMetrics().exposition();
  const names = [...exposition.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  const labelsOf = new Map(
    Object.entries(METRICS).map(([name, { dimensions }]) => [
      name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
      dimensions.map((dimension) => dimension.toLowerCase()),
    ]),
  );
  return new Map(
    names.map((name) => {
      const own = labelsOf.get(name.replace(/^evenkeel_|_(total|seconds)$/g, ''));
      return [name, own ?? ['cluster', 'kind', 'namespace', 'name']];
    }),
  );
}

const SERVED = served();

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

describe('the rules and the board for Prometheus', () => {
  it.each(expressions)('R-5.13 %s names a metric that the pod serves, by labels that it has: %s', async (_, expr) => {
    const known = await SERVED;
    const [written = ''] = /evenkeel_[a-z_]+/.exec(expr) ?? [];
    const name = written.replace(/_bucket$/, '');
    expect([...known.keys()]).toContain(name);
    const isHistogram = written !== name;
    const by = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
    const labels = [...(known.get(name) ?? []), ...(isHistogram ? ['le'] : [])];
    expect(by.filter((label) => !labels.includes(label))).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    'R-5.13 the alarm %s names a heading that says what to do',
    (_, { annotations, expr }) => {
      const [page = '', anchor = ''] = annotations.runbook.split('#');
      expect(anchors(read(page))).toContain(anchor);
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      expect(shown.filter((label) => !expr.includes(label ?? ''))).toEqual([]);
    },
  );

  it('R-5.13 the board has a datasource to choose and no two panels in one place', () => {
    const places = (panels as unknown as { gridPos: { x: number; y: number } }[]).map(
      ({ gridPos: { x, y } }) => `${x},${y}`,
    );
    expect(new Set(places).size).toBe(panels.length);
  });
});
