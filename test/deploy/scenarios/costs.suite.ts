import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { countRequests } from '../../../bench/request-counts.ts';
import { TABLE_SHARDS } from '../../../lib/deployment/installation/resource-names.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import type { RecordedCall } from '../support/gatekeeper.ts';
import { EVENTS_QUEUE, isAbout, readItem, requestPass, sendEvent, targetNamed } from '../support/targets.ts';
import { contractNames, type Deployed, passesOf, quiet, RECONCILE, right } from './deployed.ts';

const REPORT = fileURLToPath(new URL('../../../.ci/reports/deploy-costs.json', import.meta.url));

/** The number of targets over which an outcome is averaged. */
const TARGETS = 20;

const WRITES = new Set(['dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem']);

/** What one handled message costs the deployment. */
interface Cost {
  readonly tableWrites: number;
  readonly refusedWrites: number;
  /** Writes to the index, in addition to those to the table. */
  readonly indexWrites: number;
  readonly tableReads: number;
  /** Messages that functions sent. */
  readonly messagesSent: number;
  readonly invocations: number;
}

/** The cost of each outcome. It must not exceed the documented cost (R-5.11, docs/operations.md). */
export function costs(deployed: () => Deployed): void {
  it('R-5.11 what an outcome costs in writes, messages and invocations of the deployed functions is within the stated limits', async () => {
    const { world, east } = deployed();
    const stated = await countRequests();
    const targets = await Promise.all(contractNames(TARGETS, 20).map((name) => targetNamed(east, name)));
    await quiet(world);

    const count = async (cause: () => Promise<unknown>): Promise<Cost> => {
      const from = world.gatekeeper.calls.length;
      const invoked = world.invocations(EVENTS_QUEUE);
      await cause();
      await quiet(world);
      const calls = world.gatekeeper.calls
        .slice(from)
        .filter((call) => call.functionKey === RECONCILE && targets.some((target) => isAbout(call, target)));
      return perTarget(calls, world.invocations(EVENTS_QUEUE) - invoked);
    };

    const noop = await count(async () => {
      const before = passesOf(world, 'east').length;
      await Promise.all(targets.map((target, index) => requestPass(world, target, `noop-${index}`)));
      await eventually('passes', async () => (passesOf(world, 'east').length >= before + TARGETS ? true : undefined));
    });
    const covered = await count(async () => {
      const events = await Promise.all(
        targets.map(async (target) => {
          const { metadata } = await east.edits.contracts.read(target.name);
          return { target, resourceVersion: metadata.resourceVersion };
        }),
      );
      const before = world.measured('EventCovered').reduce((sum, { value }) => sum + value, 0);
      await Promise.all(
        events.map(({ target, resourceVersion }, index) =>
          sendEvent(world, target, { cause: 'updated', resourceVersion }, `covered-${index}`),
        ),
      );
      await eventually('covered events', async () => {
        const after = world.measured('EventCovered').reduce((sum, { value }) => sum + value, 0);
        return after >= before + TARGETS ? true : undefined;
      });
    });
    const changed = await count(async () => {
      const before = await Promise.all(targets.map((target) => readItem(world, target)));
      for (const { name } of targets) await east.edits.toggleSecret(name);
      await right(
        east,
        targets.map(({ name }) => name),
      );
      for (const [index, target] of targets.entries()) {
        await eventually(`commit of ${target.name}`, async () => {
          const { epoch, committedEpoch } = await readItem(world, target);
          return epoch > (before[index]?.epoch ?? 0) && committedEpoch === epoch ? true : undefined;
        });
      }
    });
    mkdirSync(new URL('.', `file://${REPORT}`), { recursive: true });
    writeFileSync(REPORT, `${JSON.stringify({ noop, covered, changed }, null, 2)}\n`);

    expect(noop.tableWrites).toBeLessThanOrEqual(2);
    expect(noop.tableWrites).toBe(stated['no-op pass'].tableWrites);
    expect(noop.indexWrites).toBe(stated['no-op pass'].indexWrites);
    expect(noop).toMatchObject({ refusedWrites: 0, messagesSent: 0 });
    // The refused write itself returns the item that decides the outcome.
    expect(covered).toMatchObject({ tableWrites: 1, refusedWrites: 1, indexWrites: 0, tableReads: 0, messagesSent: 0 });
    // In addition to the pass: the event of its own write, if the event arrived before the commit that records it.
    expect(changed.tableWrites - changed.refusedWrites).toBeCloseTo(stated['dependency change'].tableWrites);
    expect(changed.refusedWrites).toBeLessThanOrEqual(1);
    expect(changed.indexWrites).toBeLessThanOrEqual(stated['dependency change'].indexWrites);
    for (const cost of [noop, covered, changed]) expect(cost.invocations).toBeLessThanOrEqual(1);
  });

  it('R-5.11 an idle minute costs one query of each shard, and no message', async () => {
    const { world } = deployed();
    await quiet(world);
    const from = world.gatekeeper.calls.length;
    await world.call('sweep', true);
    const calls = world.gatekeeper.calls.slice(from).filter(({ functionKey }) => functionKey === 'sweep');
    const queries = calls.filter(({ action }) => action === 'dynamodb:Query');
    // The schedule may have called the function at the same time.
    expect([TABLE_SHARDS, 2 * TABLE_SHARDS]).toContain(queries.length);
    const changes = calls.filter(({ action }) => action === 'dynamodb:UpdateItem' || action === 'sqs:SendMessage');
    // Some objects are polled all the time.
    expect(changes.filter(({ input }) => !/"(P#|poll)|"type\\":\\"poll/.test(JSON.stringify(input)))).toEqual([]);
  });
}

function perTarget(calls: readonly RecordedCall[], invocations: number): Cost {
  const share = (matches: (call: RecordedCall) => boolean) => calls.filter(matches).length / TARGETS;
  const isWrite = ({ action }: RecordedCall) => WRITES.has(action);
  return {
    tableWrites: share(isWrite),
    refusedWrites: share((call) => isWrite(call) && call.refused),
    indexWrites: share(({ movedDeadline }) => movedDeadline),
    tableReads: share((call) => call.action.startsWith('dynamodb:') && !isWrite(call)),
    messagesSent: share(({ action }) => action === 'sqs:SendMessage'),
    invocations: invocations / TARGETS,
  };
}
