import { costPerMillion, idleMonth, podMonth } from './cost-model.ts';
import { countRequests, OUTCOMES } from './request-counts.ts';
import { SHIPPED } from './shipped-deployment.ts';

const IDLE = { resources: 10_000, targetResyncHours: 6, resyncMinutes: 5, ...SHIPPED };

/** docs/operations.md with its figures of costs as they are computed now, between their marks. */
export async function withCosts(page: string): Promise<string> {
  const figures = await costFigures();
  return page.replace(
    /(<!-- costs: (\w+) -->)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}${figures[name] ?? ''}${end}`,
  );
}

async function costFigures(): Promise<Record<string, string>> {
  const counts = await countRequests();
  const month = idleMonth(counts['no-op pass'], IDLE);
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
      ['', 'dollars a month'],
      [...Object.entries(month.items), ['**together**', month.total] as const].map(([item, dollars]) => [
        item,
        dollars.toFixed(2),
      ]),
    ),
    pods: `$${podMonth(2, 0.25, 0.5).toFixed(2)}`,
  };
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${lines.join('\n')}\n`;
}
