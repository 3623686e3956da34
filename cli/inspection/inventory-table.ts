import type { Settings } from '../../lib/deployment/settings/settings-schema.ts';
import { visibleText } from '../../lib/deployment/terminal/visible-text.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import { activity, isFailing, rfc3339, whyDue } from './explanation.ts';
import { relative } from './explanation-text.ts';

/** One row of `evenkeel list`. */
export interface InventoryRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly state: string;
  readonly outcome: string;
  readonly reason: string;
  readonly message: string;
  readonly failures: number;
  readonly failing: boolean;
  /** The main condition after the last pass, e.g. `Ready False KeyMissing`. */
  readonly condition?: string;
  /** Whether that condition is True. Absent when the object has none, or when an older release ran its last pass. */
  readonly ready?: boolean;
  readonly lastPassAt?: string;
  readonly nextAt?: string;
  readonly nextWhy?: string;
}

export function inventoryRow(
  target: TargetState,
  kind: string,
  nowMs: number,
  { intervals: { targetResyncMs }, timings }: Pick<Settings, 'intervals' | 'timings'>,
): InventoryRow {
  const { lastOutcome, dueAtMs } = target;
  return {
    kind,
    namespace: target.target.namespace,
    name: target.target.name,
    uid: target.target.uid,
    state: target.unreadable === undefined ? activity(target, nowMs, timings) : 'unreadable',
    outcome: lastOutcome?.type ?? '',
    reason: lastOutcome?.reason ?? '',
    message: target.unreadable ?? lastOutcome?.message ?? '',
    failures: target.failures,
    failing: target.unreadable !== undefined || isFailing(target, nowMs, timings),
    ...(lastOutcome?.condition !== undefined && {
      condition: lastOutcome.condition,
      ready: lastOutcome.condition.split(' ')[1] === 'True',
    }),
    ...(lastOutcome !== undefined && { lastPassAt: rfc3339(lastOutcome.atMs) }),
    ...(dueAtMs !== undefined && { nextAt: rfc3339(dueAtMs), nextWhy: whyDue(target, targetResyncMs) }),
  };
}

/** Which number counts an object: reconciled here, driven by another deployment, or being deleted. */
export function countedAs({ lastOutcome }: TargetState): 'known' | 'elsewhere' | 'deleting' {
  if (lastOutcome?.type === 'anotherDeployment') return 'elsewhere';
  return lastOutcome?.type === 'deleting' || lastOutcome?.terminating === true ? 'deleting' : 'known';
}

export function compareRows(left: InventoryRow, right: InventoryRow): number {
  const key = ({ kind, namespace, name, uid }: InventoryRow) => [kind, namespace, name, uid].join('\u0000');
  return key(left) < key(right) ? -1 : 1;
}

/** Each column is as wide as its longest shown text. */
export function inventoryTable(rows: readonly InventoryRow[], nowMs: number): string[] {
  const ago = (time: string | undefined) => (time === undefined ? '-' : relative(Date.parse(time) - nowMs));
  const header = ['KIND', 'NAMESPACE', 'NAME', 'STATE', 'READY', 'OUTCOME', 'FAILURES', 'LAST PASS', 'NEXT'];
  const cells = rows.map((row) =>
    [
      row.kind,
      row.namespace === '' ? '-' : row.namespace,
      row.name,
      row.state,
      row.condition ?? '-',
      [row.outcome, row.reason].filter((part) => part !== '').join(' ') || '-',
      String(row.failures),
      ago(row.lastPassAt),
      row.nextAt === undefined ? 'on a change' : ago(row.nextAt),
    ].map(visibleText),
  );
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  return [header, ...cells].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
