import { SQSClient } from '@aws-sdk/client-sqs';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../support/emulators/local-account.ts';

export interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
}

/** The result of one SendMessageBatch: the Ids that SQS refuses, or no response. */
export type BatchAnswer = (entries: readonly SentEntry[]) => readonly string[] | 'no answer';

/** A scripted SQS for batches of messages. It keeps the messages that it received. */
export class ScriptedSqs {
  readonly batches: SentEntry[][] = [];
  readonly client: SQSClient;

  constructor(answer: BatchAnswer) {
    this.client = new SQSClient({
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
      endpoint: 'http://127.0.0.1:1',
      maxAttempts: 1,
      md5: false,
      requestHandler: {
        handle: async ({ body }: { body: Uint8Array }) => {
          const entries = (JSON.parse(new TextDecoder().decode(body)) as { Entries: SentEntry[] }).Entries;
          this.batches.push(entries);
          const refused = answer(entries);
          if (refused === 'no answer') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
          return {
            response: {
              statusCode: 200,
              headers: {},
              body: Buffer.from(JSON.stringify(batchResult(entries, refused))),
            },
          };
        },
        updateHttpClientConfig() {},
        httpHandlerConfigs: () => ({}),
      },
    });
  }
}

function batchResult(entries: readonly SentEntry[], refused: readonly string[]) {
  const taken = entries.filter(({ Id }) => !refused.includes(Id));
  return {
    Successful: taken.map(({ Id }) => ({ Id, MessageId: `message-${Id}`, MD5OfMessageBody: '' })),
    Failed: refused.map((Id) => ({ Id, Code: 'InternalFailure', SenderFault: false, Message: 'raw server text' })),
  };
}
