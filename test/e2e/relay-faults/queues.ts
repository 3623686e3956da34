import { expect, it } from 'vitest';
import type { Interference, ProxiedRequest } from '../../support/http-fault-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { area } from './world.ts';

function isSend({ headers }: ProxiedRequest): boolean {
  return headers['x-amz-target'] === 'AmazonSQS.SendMessageBatch';
}

function refusal(status: number, type: string): Interference {
  const body = JSON.stringify({ __type: `com.amazonaws.sqs#${type}`, message: 'injected' });
  return { type: 'answer', status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}

interface Entry {
  readonly Id: string;
}

/** The queue takes every other entry of a batch, and of a single one none. */
function everyOther(): Interference {
  let refused: Entry[] = [];
  return {
    type: 'rewrite',
    request: (text) => {
      const batch = JSON.parse(text) as { Entries: Entry[] };
      refused = batch.Entries.filter((_, index) => index % 2 === 0);
      // A batch must not be empty: what is refused of a single one is sent to no queue of this name.
      const Entries = batch.Entries.filter((_, index) => index % 2 === 1);
      return JSON.stringify(Entries.length > 0 ? { ...batch, Entries } : { QueueUrl: 'http://127.0.0.1/none' });
    },
    answer: (text) => {
      const { Successful = [] } = JSON.parse(text) as { Successful?: Entry[] };
      const Failed = refused.map(({ Id }) => ({ Id, SenderFault: false, Code: 'InternalError', Message: 'injected' }));
      return JSON.stringify({ Successful, Failed });
    },
  };
}

/** The relay’s way to the queue is in trouble. */
export const queues = area('the queue', (world) => {
  it.each([
    ['refuses', refusal(500, 'InternalError')],
    ['throttles', refusal(400, 'RequestThrottled')],
  ])(
    'R-5.7 %s: no checkpoint moves on, nothing overtakes, and all of it arrives in the end',
    async (_, interference) => {
      const { queue } = world();
      const { edits, relay } = await world().begin();
      const heal = queue.interfere({ matches: isSend, interference });
      const met = world().met(6, queue);
      await edits.round();
      await met;
      heal();
      await edits.right();
      expect(world().journal.checked).toBeGreaterThan(0);
      const reports = relay.logger.lines.filter(({ message }) => message.startsWith('the queue refuses'));
      expect(reports.length).toBeGreaterThan(0);
      expect(reports.length).toBeLessThanOrEqual(3);
      await world().verify();
    },
  );

  it('R-5.7 takes half of each batch: the other half is sent again', async () => {
    const { queue } = world();
    const { edits } = await world().begin();
    // What is refused shall come in batches: everything at once after a pause.
    await world().tcp.refuse();
    for (let time = 0; time < 3; time += 1) await edits.round();
    let times = 0;
    const heal = queue.interfere({ matches: (request) => isSend(request) && ++times <= 6, interference: everyOther });
    await world().tcp.heal();
    await eventually('batches that were taken by halves', async () => (times >= 3 ? true : undefined));
    await edits.right();
    heal();
    await world().verify();
  });

  it('R-5.6 R-5.7 answers only after the time-out: a repeated send counts once', async () => {
    const { queue } = world();
    const { edits } = await world().begin();
    const never = new Promise(() => {});
    queue.interfere({ matches: isSend, interference: { type: 'late', until: never }, times: 2 });
    const met = world().met(2, queue);
    await edits.round();
    await met;
    await edits.right();
    await world().verify();
  });
});
