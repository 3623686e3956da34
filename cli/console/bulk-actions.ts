import { z } from 'zod';
import type { TargetName } from '../inspection/target-name.ts';
import { UsageError } from '../usage-error.ts';
import type { ObjectRow } from './api-types.ts';
import type { BulkProgress, BulkRunner } from './bulk-runner.ts';
import type { ConsoleReads } from './console-reads.ts';
import { isShown } from './dead-letter-view.ts';
import { actOn, checkReached, nameOf, type ObjectAction, recordOnCluster } from './object-actions.ts';
import { objectFilter } from './object-filter.ts';
import { targetNamed } from './target-named.ts';

/** The most objects of one action: more is a case for a pause of the cluster, or for a new deployment. */
export const MAX_OBJECTS = 1_000;
export const MAX_PER_SECOND = 20;

const limits = {
  /** The number of objects that the person confirmed. */
  limit: z.number().int().min(1).max(MAX_OBJECTS),
  perSecond: z.number().min(1).max(MAX_PER_SECOND),
};

/** An action for everything that a filter shows. */
export const bulkBody = z.discriminatedUnion('action', [
  z.object({ action: z.enum(['requeue', 'pause', 'resume']), filter: objectFilter, ...limits }),
  z.object({ action: z.literal('redrive'), filter: z.object({ text: z.string().optional() }), ...limits }),
]);

type BulkBody = z.infer<typeof bulkBody>;

const TITLES: Readonly<Record<BulkBody['action'], string>> = {
  requeue: 'Start passes',
  pause: 'Pause',
  resume: 'Resume',
  redrive: 'Send again',
};

/** Starts it, and resolves with a sentence for the user. @throws UsageError when there is nothing to act on. */
export async function startBulk(reads: ConsoleReads, runner: BulkRunner, body: BulkBody): Promise<string> {
  const { action, limit, perSecond } = body;
  const order = { title: TITLES[action], limit, perSecond };
  if (body.action === 'redrive') {
    const { text = '' } = body.filter;
    runner.start(order, (progress) => redriveShown(reads, text, progress));
    return 'The messages are sent again, one after the other.';
  }
  checkReached(reads.source, body.action);
  const { value } = await reads.inventory.latest();
  const rows = value.select(body.filter).slice(0, limit);
  if (rows.length === 0) throw new UsageError('the filter shows no object now.');
  runner.start({ ...order, limit: rows.length }, (progress) => actOnRows(reads, body.action, rows, progress));
  return `${order.title}: started for ${rows.length === 1 ? '1 object' : `${rows.length} objects`}.`;
}

async function actOnRows(
  { source }: ConsoleReads,
  action: ObjectAction,
  rows: readonly ObjectRow[],
  progress: BulkProgress,
): Promise<void> {
  for (const row of rows) {
    if (!(await progress.turn())) return;
    let name: TargetName | undefined;
    try {
      name = targetNamed(source.inspection, { kind: row.kindId, namespace: row.namespace, name: row.name });
      await actOn(source, action, name, [row.uid]);
      progress.done();
    } catch (error) {
      progress.failed(name === undefined ? row.name : nameOf(name), error);
    }
  }
}

async function redriveShown({ source, letters, queues }: ConsoleReads, text: string, progress: BulkProgress) {
  const { value } = await letters.latest();
  let sent = 0;
  for (const { queue, letters: peeked } of value) {
    // Only messages that the person could see: one that arrived since was not confirmed.
    const shown = new Set(peeked.filter(isShown(queue, text)).map(({ messageId }) => messageId));
    if (shown.size === 0) continue;
    try {
      await source.operated.deadLetters.redrive(
        queue,
        () => {
          sent += 1;
          progress.done();
        },
        async ({ messageId }) => {
          if (!shown.has(messageId)) return 'keep';
          return (await progress.turn()) ? 'send' : 'end';
        },
      );
    } catch (error) {
      progress.failed(queue.name, error);
    }
  }
  letters.renew();
  queues.renew();
  const { by } = source.inspection;
  const note = `${by} sent ${sent === 1 ? '1 message' : `${sent} messages`} of the dead-letter queues again`;
  await recordOnCluster(source, { reason: 'DeadLettersSent', action: 'Redrive', note });
}
