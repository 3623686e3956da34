import { describe, expect, it } from 'vitest';
import { CONCURRENT_BATCHES, SqsFifoQueue } from '../../../lib/adapters/aws/sqs-fifo-queue.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { OutgoingMessage } from '../../../lib/ports/queue.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { type BatchAnswer, ScriptedSqs } from './scripted-sqs.ts';

function setUp(answer: BatchAnswer = () => []) {
  const sqs = new ScriptedSqs(answer);
  const clock = new ManualClock();
  const queue = new SqsFifoQueue({
    client: sqs.client,
    queueUrl: 'http://q/events',
    deadLetterQueueUrl: 'http://q/dead',
    clock,
  });
  return { sqs, queue };
}

function message(messageGroupId: string, body: string): OutgoingMessage {
  return { messageGroupId, body, deduplicationId: `${messageGroupId}:${body}` };
}

function refuse(...bodies: string[]): BatchAnswer {
  return (entries) => entries.filter(({ MessageBody }) => bodies.includes(MessageBody)).map(({ Id }) => Id);
}

describe('sending to SQS', () => {
  it('R-5.2 no batch has two messages of a message group, and a message group is sent in order', async () => {
    const { sqs, queue } = setUp();
    await queue.send([message('g', '1'), message('h', '1'), message('g', '2'), message('g', '3'), message('i', '1')]);
    expect(sqs.batches.map((batch) => batch.map((entry) => entry.MessageGroupId + entry.MessageBody))).toEqual([
      ['g1', 'h1', 'i1'],
      ['g2'],
      ['g3'],
    ]);
  });

  it('R-5.2 a refused message stops the later ones of its message group, and no others', async () => {
    const { sqs, queue } = setUp(refuse('2'));
    const results = await queue.send([
      message('g', '1'),
      message('g', '2'),
      message('g', '3'),
      message('h', 'a'),
      message('h', 'b'),
      message('h', 'c'),
    ]);
    expect(results.map(({ accepted }) => accepted)).toEqual([true, false, false, true, true, true]);
    expect(sqs.batches.flat().map(({ MessageBody }) => MessageBody)).toEqual(['1', 'a', '2', 'b', 'c']);
  });

  it('R-1.24 a refusal has the code and never the text of the answer', async () => {
    const { queue } = setUp(refuse('1'));
    const [result] = await queue.send([message('g', '1')]);
    expect(result).toMatchObject({ accepted: false, error: { code: 'INFRASTRUCTURE' } });
    const { error } = result as { error: InfrastructureError };
    expect(error.message).toContain('InternalFailure');
    expect(error.message).not.toContain('raw server text');
  });

  it('R-5.7 a batch has ten messages, and each one gets its own result', async () => {
    const { sqs, queue } = setUp(refuse('3', '17'));
    const messages = Array.from({ length: 23 }, (_, index) => message(`group-${index}`, String(index)));
    const results = await queue.send(messages);
    expect(sqs.batches.map((batch) => batch.length)).toEqual([10, 10, 3]);
    const refused = results.flatMap(({ accepted }, index) => (accepted ? [] : [index]));
    expect(refused).toEqual([3, 17]);
  });

  it('R-5.7 a batch stays within the size limit of SQS', async () => {
    const { sqs, queue } = setUp();
    const large = 'x'.repeat(100_000);
    const messages = Array.from({ length: 5 }, (_, index) => message(`group-${index}`, large));
    expect((await queue.send(messages)).every(({ accepted }) => accepted)).toBe(true);
    expect(sqs.batches.map((batch) => batch.length).sort()).toEqual([1, 2, 2]);
  });

  it('R-5.7 a batch without an answer counts as refused, and no later round is sent', async () => {
    const { sqs, queue } = setUp((entries) =>
      entries.some(({ MessageBody }) => MessageBody === '2') ? 'no answer' : [],
    );
    const results = await queue.send([message('g', '1'), message('g', '2'), message('g', '3'), message('h', '1')]);
    expect(results.map(({ accepted }) => accepted)).toEqual([true, false, false, true]);
    expect(results[2]).toMatchObject({ error: expect.any(InfrastructureError) });
    expect(sqs.batches).toHaveLength(2);
  });

  it('R-5.7 no further batch starts after a batch without an answer', async () => {
    const { sqs, queue } = setUp(() => 'no answer');
    const messages = Array.from({ length: 200 }, (_, index) => message(`group-${index}`, '1'));
    await expect(queue.send(messages)).rejects.toThrow(InfrastructureError);
    expect(sqs.batches.length).toBeLessThanOrEqual(CONCURRENT_BATCHES);
  });

  it('R-5.4 the call fails as a whole when no entry has a result', async () => {
    const { queue } = setUp(() => 'no answer');
    const failure = await queue.send([message('g', '1'), message('h', '1')]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InfrastructureError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/SQS SendMessageBatch on http:\/\/q\/events failed with ECONNRESET/),
    });
  });
});

describe('a dead letter', () => {
  const LIMIT = 262_144;

  it.each([
    ['a small one', 100, 'Malformed: uid: missing', 'Malformed: uid: missing'],
    ['one of the largest size', LIMIT, 'Malformed: uid: missing', undefined],
    ['one with little room for a reason', LIMIT - 'reasonString'.length - 5, 'Malformed: uid: missing', 'Malfo'],
    ['one with a reason that has no end', 100, 'r'.repeat(300_000), 'r'.repeat(2_048)],
    ['one whose reason would be cut inside a character', LIMIT - 'reasonString'.length - 3, '\u0436\u0436', '\u0436'],
  ])(
    'R-5.18 a dead letter is small enough for SQS, with as much of its reason as there is room for: %s',
    async (_, size, reason, kept) => {
      const { sqs, queue } = setUp();
      const sent: { MessageBody: string; MessageAttributes?: { reason?: { StringValue?: string } } }[] = [];
      sqs.client.send = (async ({ input }: { input: (typeof sent)[number] }) => {
        sent.push(input);
        return {};
      }) as never;
      await queue.sendDead({ body: 'x'.repeat(size), messageGroupId: 'g', messageId: 'm', reason });
      const [letter] = sent;
      expect(letter?.MessageBody).toHaveLength(size);
      expect(letter?.MessageAttributes?.reason?.StringValue).toBe(kept);
      const attribute = kept === undefined ? 0 : 'reasonString'.length + Buffer.byteLength(kept);
      expect(size + attribute).toBeLessThanOrEqual(LIMIT);
    },
  );
});
