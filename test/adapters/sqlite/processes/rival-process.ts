import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { openSqliteState } from '../../../../lib/adapters/sqlite/open-sqlite-state.ts';
import { SystemClock } from '../../../../lib/adapters/system/system-clock.ts';

/*
 * One of several processes that use the same file at the same time. It counts and sends messages, then receives until
 * the queue stays empty. It prints what it handled, with a number that counts across all processes. It begins when all
 * of them are ready. Arguments: directory, name, how many messages it sends, the names of all processes.
 */
const [directory = '', name = '', own = '0', ...names] = process.argv.slice(2);
const clock = new SystemClock();
const state = await openSqliteState({ directory, clock, entropy: { id: () => name }, receiver: name });
const queue = await state.fifoQueue('evenkeel-local-events');

async function receive(): Promise<number> {
  const messages = await queue.receive({ maxMessages: 3, waitSeconds: 2, visibilitySeconds: 60 });
  for (const { body } of messages) writeSync(1, `${await state.store.countFailure('order', clock.now())} ${body}\n`);
  await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
  return messages.length;
}

writeFileSync(`${directory}-${name}`, '');
while (!names.every((other) => existsSync(`${directory}-${other}`))) await clock.sleep(1);

for (let count = 0; count < Number(own); count += 1) {
  await state.store.countFailure('shared', clock.now());
  const message = {
    body: `${name}:${count}`,
    messageGroupId: `${name}-${count % 5}`,
    deduplicationId: `${name}:${count}`,
  };
  await queue.send([message, { ...message, body: 'double' }]);
  if (count % 4 === 3) await receive();
}
while ((await receive()) > 0);
state.close();
