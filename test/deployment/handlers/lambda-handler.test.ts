import type { Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { errorLine } from '../../../lib/adapters/observability/error-description.ts';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { lambdaHandler } from '../../../lib/deployment/handlers/lambda-handler.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { SilentLogger } from '../../../lib/testing/recorders.ts';

const runtime = {
  clock: new ManualClock(1_000),
  logger: new SilentLogger(),
  flushes: 0,
  flush: () => {
    runtime.flushes += 1;
  },
  describe: errorLine,
};

vi.mock('../../../lib/deployment/wiring-cloud.ts', () => ({ cloudRuntime: async () => runtime }));

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;

beforeEach(() => {
  runtime.flushes = 0;
  runtime.logger.lines.length = 0;
});

describe('lambdaHandler', () => {
  it('R-5.5 passes on when the call started and when Lambda ends it, and writes the metrics', async () => {
    const handler = lambdaHandler<string, object>(async (_, event, call) => ({ event, ...call }));
    const startedMonotonicMs = runtime.clock.monotonic();
    expect(await handler('hello', context)).toEqual({
      event: 'hello',
      startedAtMs: 1_000,
      startedMonotonicMs,
      endsMonotonicMs: startedMonotonicMs + 30_000,
    });
    expect(runtime.flushes).toBe(1);
  });

  it('R-5.13 a call that fails is logged, has its metrics written, and fails for Lambda too', async () => {
    const handler = lambdaHandler<string, void>(async () => {
      throw new EvenkeelError('BROKEN', 'the queue is gone');
    });
    await expect(handler('hello', context)).rejects.toThrow('the queue is gone');
    expect(runtime.flushes).toBe(1);
    expect(runtime.logger.lines).toMatchObject([{ level: 'error', message: 'the function failed' }]);
  });

  it('R-1.24 what others threw is given to Lambda, which logs all of it, without its text', async () => {
    const handler = lambdaHandler<string, void>(async () => {
      throw Object.assign(new TypeError('hunter2'), { body: 'hunter2' });
    });
    const failure = await handler('hello', context).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UNFORESEEN', message: expect.stringContaining('TypeError') });
    expect(`${(failure as Error).stack} ${JSON.stringify(failure)} ${(failure as Error).cause}`).not.toContain(
      'hunter2',
    );
  });
});
