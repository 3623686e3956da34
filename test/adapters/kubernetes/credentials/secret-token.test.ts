import { describe, expect, it } from 'vitest';
import { secretToken } from '../../../../lib/adapters/kubernetes/credentials/secret-token.ts';
import { InfrastructureError } from '../../../../lib/core/errors.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';

const NAME = 'evenkeel/prod/clusters/east/relay';

function setUp(...values: (string | undefined | Error)[]) {
  const clock = new ManualClock();
  let reads = 0;
  const read = async () => {
    const value = values[Math.min(reads, values.length - 1)];
    reads += 1;
    if (value instanceof Error) throw value;
    return value;
  };
  return { clock, source: secretToken({ read }, NAME, clock), reads: () => reads };
}

describe('secretToken', () => {
  it('R-5.7 the token is read again each five minutes, and after the server refused it', async () => {
    const { clock, source, reads } = setUp('one\n', 'two', 'three');
    expect(await source.current()).toBe('one');
    await clock.advance(299_000);
    expect(await source.current()).toBe('one');
    await clock.advance(1_000);
    expect(await source.current()).toBe('two');
    source.refused('two');
    expect(await source.current()).toBe('three');
    expect(reads()).toBe(3);
  });

  it('R-5.7 the token stays during an outage of the store, and not after its deletion', async () => {
    const { clock, source } = setUp('one', new InfrastructureError('no answer'), 'two', undefined);
    await source.current();
    await clock.advance(300_000);
    expect(await source.current()).toBe('one');
    await clock.advance(10_000);
    expect(await source.current()).toBe('two');
    await clock.advance(300_000);
    await expect(source.current()).rejects.toThrow(`there is no secret ${NAME}`);
  });

  it.each([
    [undefined, `there is no secret ${NAME}, or it is empty.`],
    [' ', `there is no secret ${NAME}, or it is empty.`],
    ['{"token": "hunter2"}', `the secret ${NAME} holds something that is no bearer token.`],
    ['hunter2\r\nX-Other: 1', `the secret ${NAME} holds something that is no bearer token.`],
    [new InfrastructureError('denied'), `the secret ${NAME} could not be read.`],
  ])('R-6.4 R-1.24 the error for %j has the name of the secret and not its text', async (value, message) => {
    const failure = await setUp(value)
      .source.current()
      .catch((error: unknown) => error);
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain('hunter2');
  });
});
