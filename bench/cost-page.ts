import { costPerMillion, type IdleDeployment, type IdleMonth, idleMonth, podMonth } from './cost-model.ts';
import { countIdleRequests } from './idle-counts.ts';
import { countRequests, OUTCOMES } from './request-counts.ts';
import { shippedDeployment } from './shipped-deployment.ts';

/** The cost of a month of stages/prod.yml in which nothing changes. */
export async function idleMonths(): Promise<
  Record<'container' | 'function' | 'manyClusters' | 'behindEndpoints' | 'behindNat', IdleMonth>
> {
  const counted = await countIdleRequests();
  const noop = (await countRequests())['no-op pass'];
  const month = (
    clusters: number,
    resources: number,
    relay: 'function' | 'container',
    network: Pick<IdleDeployment, 'network'> = {},
  ) => idleMonth(noop, { ...shippedDeployment(clusters, relay), ...network, resources, counted });
  return {
    container: month(1, 10_000, 'container'),
    function: month(1, 10_000, 'function'),
    manyClusters: month(100, 100_000, 'function'),
    behindEndpoints: month(1, 10_000, 'function', { network: 'endpoints' }),
    behindNat: month(1, 10_000, 'function', { network: 'nat' }),
  };
}

/** docs/operations.md with its cost figures, computed now, between their marks. */
export async function withCosts(page: string): Promise<string> {
  const figures = await costFigures();
  return page.replace(
    /(<!-- costs: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}${figures[name] ?? ''}${end}`,
  );
}

async function costFigures(): Promise<Record<string, string>> {
  const counts = await countRequests();
  const months = Object.values(await idleMonths());
  const items = Object.keys(months[0]?.items ?? {});
  return {
    passes: table(
      ['outcome', 'table writes', 'of these refused', 'index writes', 'reads', 'wakes', 'dollars a million'],
      OUTCOMES.map((outcome) => {
        const { tableWrites, refusedWrites, indexWrites, tableReads, queueRequests } = counts[outcome];
        const dollars = costPerMillion(counts[outcome]).toFixed(2);
        return [outcome, tableWrites, refusedWrites, indexWrites, tableReads, queueRequests, dollars];
      }),
    ),
    idle: table(
      [
        'dollars a month',
        '10,000, relay in a pod',
        '10,000, relay function',
        '100 clusters of 1,000, relay function',
        '10,000, relay function, private subnets with endpoints',
        '10,000, relay function, private subnets with NAT',
      ],
      [
        ...items.map((item) => [item, ...months.map((month) => (month.items[item] ?? 0).toFixed(2))]),
        ['**together**', ...months.map(({ total }) => total.toFixed(2))],
      ],
    ),
    pods: `$${podMonth(2, 0.25, 0.5).toFixed(2)}`,
  };
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${lines.join('\n')}\n`;
}
