import type { AwsClients } from './clients.ts';

/** List prices in US dollars, us-east-1, on demand, without free tiers. */
const READ_UNIT = 0.125 / 1_000_000;
const QUEUE_REQUEST = 0.5 / 1_000_000;

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand']);

interface Capacity {
  readonly CapacityUnits?: number;
}

/**
 * Counts what the reads of the table and the requests to queues cost, from this call on. The table itself reports the
 * units of each read. A retry inside the SDK is not counted.
 * @returns the dollars so far.
 */
export function countCosts({ dynamodb, sqs }: Pick<AwsClients, 'dynamodb' | 'sqs'>): () => number {
  let dollars = 0;
  dynamodb.middlewareStack.add(
    (next, context) => async (args) => {
      if (!READS.has(context.commandName ?? '')) return await next(args);
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity: used } = result.output as { readonly ConsumedCapacity?: Capacity | Capacity[] };
      for (const { CapacityUnits = 0 } of used === undefined ? [] : [used].flat()) dollars += CapacityUnits * READ_UNIT;
      return result;
    },
    { step: 'initialize', name: 'countTableCosts' },
  );
  sqs.middlewareStack.add(
    (next) => async (args) => {
      dollars += QUEUE_REQUEST;
      return await next(args);
    },
    { step: 'initialize', name: 'countQueueCosts' },
  );
  return () => dollars;
}
