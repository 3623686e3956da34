import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createAwsClients } from '../../../lib/adapters/aws/clients.ts';
import { tableDefinition } from '../../../lib/adapters/aws/dynamodb-table.ts';
import { accessKeyCheck, guardServer } from '../../../lib/adapters/loopback/request-guard.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { expireItems } from './expire-items.ts';
import { LOCAL_REGION, localCredentials } from './local-account.ts';

export interface EmbeddedTable {
  readonly endpoint: string;
  readonly tableName: string;
  close(): Promise<void>;
}

const EXPIRY_INTERVAL_MS = 10 * 60_000;

/**
 * Starts DynamoDB in this process, in memory, on a free port of 127.0.0.1, with the table in it, for programs of this user
 * (R-5.24).
 * @param token the access key that every request must be signed with.
 */
export async function startEmbeddedTable({
  tableName = 'evenkeel',
  clock = new SystemClock() as Clock,
  token,
}: {
  tableName?: string;
  clock?: Clock;
  token?: string | undefined;
} = {}): Promise<EmbeddedTable> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const credentials = localCredentials(token);
  guardServer(server, accessKeyCheck(credentials.accessKeyId));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const endpoint = `http://127.0.0.1:${port}`;
  const clients = createAwsClients({
    region: LOCAL_REGION,
    credentials,
    endpoints: { dynamodb: endpoint },
    maxSockets: 1,
  });
  let open = true;
  const expire = async () => {
    try {
      await expireItems(clients.dynamodb, tableName, clock.now());
    } catch (error) {
      // The next run finds them as well.
      if (open) process.emitWarning(`expired items stay in the embedded table for now: ${error}`);
    }
  };
  try {
    await clients.dynamodb.send(new CreateTableCommand(tableDefinition(tableName)));
  } catch (error) {
    clients.close();
    server.close();
    throw error;
  }
  const expiry = setInterval(expire, EXPIRY_INTERVAL_MS).unref();
  return {
    endpoint,
    tableName,
    close: () =>
      new Promise((resolve, reject) => {
        open = false;
        clearInterval(expiry);
        clients.close();
        server.close((error) => (error instanceof Error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
