import { parseLabelSelector } from '../../lib/core/label-selector.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import type { TargetState } from '../../lib/ports/state-store.ts';
import type { Invocation } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { Inspection } from './inspection.ts';
import { compareRows, type InventoryRow } from './inventory-table.ts';

/** Whether `evenkeel list` shows a row, by the options that need no request to the cluster. */
export function isWanted(row: InventoryRow, invocation: Invocation): boolean {
  if (invocation.has('failing') && !row.failing) return false;
  if (invocation.has('not-ready') && row.ready !== false && !row.failing) return false;
  const namespace = invocation.text('namespace');
  return namespace === undefined || row.namespace === namespace;
}

/**
 * The objects of a kind that `--selector` selects. The table has no labels, so the cluster is asked.
 * @throws UsageError when the cluster cannot be reached from here.
 */
export async function selectedUids(
  { api }: Inspection,
  type: ResourceType,
  invocation: Invocation,
): Promise<((target: TargetState) => boolean) | undefined> {
  const text = invocation.text('selector');
  if (text === undefined) return undefined;
  parseLabelSelector(text);
  if (api === undefined)
    throw new UsageError(
      '--selector needs the cluster, which a command for a cloud stage does not reach. Use kubectl get with it.',
    );
  const uids = new Set<string>();
  let next: string | undefined;
  do {
    const page = await api.list(type, {
      namespace: '',
      labelSelector: text,
      metadataOnly: true,
      limit: 500,
      ...(next !== undefined && { continueToken: next }),
    });
    for (const { metadata } of page.items) uids.add(metadata.uid);
    next = page.continueToken;
  } while (next !== undefined);
  return ({ target }) => uids.has(target.uid);
}

/** Sorts rows by the order of `--sort`; by name without it. */
export function inOrder(rows: InventoryRow[], sort: string | undefined): InventoryRow[] {
  const key = keyOf(sort);
  return rows.sort((left, right) => {
    const [a, b] = [key(left), key(right)];
    return a < b ? -1 : a > b ? 1 : compareRows(left, right);
  });
}

function keyOf(sort: string | undefined): (row: InventoryRow) => string | number {
  switch (sort) {
    case 'last-pass':
      return ({ lastPassAt }) => -(lastPassAt === undefined ? 0 : Date.parse(lastPassAt));
    case 'next':
      return ({ nextAt }) => (nextAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextAt));
    case 'failures':
      return ({ failures }) => -failures;
    default:
      return () => '';
  }
}
