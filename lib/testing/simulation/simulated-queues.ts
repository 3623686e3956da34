import { InfrastructureError } from '../../core/errors.ts';
import { LinkedAbort } from '../../engine/linked-abort.ts';
import type { FifoQueue, OutgoingMessage, QueueReceiver, ReceivedMessage, SendResult } from '../../ports/queue.ts';
import type { SimulatedProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

/** The longest wait of a real receive, with the default timings. */
const LONGEST_WAIT_MS = 13_000;
/** Far longer than any run. */
const FOREVER_SECONDS = 10_000_000;
/** A repeated message arrives this much later at the most. */
const LONGEST_DUPLICATION_MS = 60_000;
const SHORT_DUPLICATION_MS = 300;

/** What queues do in addition to the request. It is decided for each message. */
export interface QueueFaults {
  /** Whether an entry of a batch is refused. */
  refuses(): boolean;
  /** Whether a message is delivered again later. */
  duplicates(): boolean;
  /** Whether a message arrives through another queue of its controller group. */
  reroutes(): boolean;
}

/**
 * A queue whose receives never return empty. An idle worker would only send the next receive, so one long receive
 * stands for all of them. A message reports a receive time of up to one wait ago, as at the end of a real receive. The
 * receive of a dead process may still take messages for a while; these are then hidden from everybody.
 */
export function receivePatiently<Queue extends QueueReceiver>(
  queue: Queue,
  process: SimulatedProcess,
  scheduler: Scheduler,
  host: SimulatedProcess,
): Queue {
  const gone = new AbortController();
  const onCrash = process.onCrash;
  process.onCrash = () => {
    onCrash();
    scheduler.sleep(host, scheduler.pick(LONGEST_WAIT_MS)).then(() => gone.abort());
  };
  const receive: QueueReceiver['receive'] = async (options, signal) => {
    const calledAtMs = process.clock.monotonic();
    // The signal of AbortSignal.any would be kept in memory, since most of these signals never abort.
    using either = new LinkedAbort(...(signal === undefined ? [] : [signal]), gone.signal);
    const messages = await queue.receive({ ...options, waitSeconds: FOREVER_SECONDS }, either.signal);
    const receivedAtMs = Math.max(calledAtMs, process.clock.monotonic() - scheduler.pick(LONGEST_WAIT_MS));
    return messages.map((message): ReceivedMessage => ({ ...message, receivedAtMs }));
  };
  return overriding(queue, { receive } as Partial<Queue>);
}

/**
 * A FIFO queue that accepts batches in part and delivers messages more than once. A copy may arrive through another
 * queue of the controller group, like a change that both a watch and a list showed.
 * @param others the queues of its controller group.
 */
export function unreliably(
  queue: FifoQueue,
  others: readonly FifoQueue[],
  faults: QueueFaults,
  scheduler: Scheduler,
  host: SimulatedProcess,
): FifoQueue {
  let copies = 0;
  const other = others.find((lane) => lane !== queue) ?? queue;
  const repeat = (message: OutgoingMessage) => {
    copies += 1;
    const copy = { ...message, deduplicationId: `copy-${copies}-${scheduler.now()}` };
    const delayMs = scheduler.pick(scheduler.pick(2) === 0 ? SHORT_DUPLICATION_MS : LONGEST_DUPLICATION_MS);
    const to = others[scheduler.pick(others.length)] ?? queue;
    scheduler.sleep(host, delayMs).then(() => to.send([copy]));
  };
  return overriding(queue, {
    async send(messages, signal) {
      const refused = messages.map(() => faults.refuses());
      const accepted = messages.filter((_, index) => !refused[index]);
      for (const message of accepted) await (faults.reroutes() ? other : queue).send([message], signal);
      for (const message of accepted) if (faults.duplicates()) repeat(message);
      return refused.map(
        (isRefused): SendResult =>
          isRefused
            ? { accepted: false, error: new InfrastructureError('this entry was refused') }
            : { accepted: true },
      );
    },
    async delete(receiptHandles, signal) {
      const kept = receiptHandles.filter(() => faults.refuses());
      const failed = await queue.delete(
        receiptHandles.filter((handle) => !kept.includes(handle)),
        signal,
      );
      return [...kept, ...failed];
    },
  });
}

/** The same object with some methods replaced. */
function overriding<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, property) => {
      if (property in methods) return Reflect.get(methods, property);
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
