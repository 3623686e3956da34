import { Logger as PowertoolsLogWriter } from '@aws-lambda-powertools/logger';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HumanLogger } from '../../../lib/adapters/observability/human-logger.ts';
import { JsonLogger } from '../../../lib/adapters/observability/json-logger.ts';
import { PowertoolsLogger } from '../../../lib/adapters/observability/powertools-logger.ts';
import { EvenkeelError } from '../../../lib/core/errors.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import type { Logger } from '../../../lib/ports/logger.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLines } from './recorded-lines.ts';

const SECRETS = [
  'hunter2-the-password',
  'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl',
  'AKIAABCDEFGHIJKLMNOP',
  'raw-server-response-body',
];

function powertools(): { logger: Logger; text: () => string } {
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  const written: string[] = [];
  for (const method of ['debug', 'info', 'warn', 'error', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation(
      (...parts: unknown[]) => void written.push(parts.map(String).join(' ')),
    );
  }
  const logger = new PowertoolsLogger(new PowertoolsLogWriter({ serviceName: 'evenkeel', logLevel: 'DEBUG' }));
  return { logger, text: () => written.join('\n') };
}

const LOGGERS: Record<string, () => { logger: Logger; text: () => string }> = {
  HumanLogger: () => {
    const output = new RecordedLines();
    return { logger: new HumanLogger(output, new ManualClock(), 'debug'), text: () => output.text };
  },
  JsonLogger: () => {
    const output = new RecordedLines();
    return { logger: new JsonLogger(output, new ManualClock(), 'debug'), text: () => output.text };
  },
  PowertoolsLogger: powertools,
};

describe.each(Object.keys(LOGGERS))('%s', (name) => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  const make = () => (LOGGERS[name] as () => { logger: Logger; text: () => string })();

  it('the logger writes the message, its fields, and the fields of with()', () => {
    const { logger, text } = make();
    logger
      .with({ passId: 'p1' })
      .with({ kind: 'secretcontracts' })
      .info('a pass ended', { writes: 2, gone: undefined });
    for (const part of ['a pass ended', 'p1', 'secretcontracts', 'writes', '2']) expect(text()).toContain(part);
    expect(text()).not.toContain('gone');
  });

  it('with() does not change the logger that it is called on', () => {
    const { logger, text } = make();
    logger.with({ passId: 'p1' });
    logger.warn('plain');
    expect(text()).not.toContain('p1');
  });

  it('the logger writes name, code, message and data of our own error, and name and code of its causes', () => {
    const { logger, text } = make();
    const refused = Object.assign(new Error(SECRETS[3]), { code: 'ECONNREFUSED' });
    const error = new EvenkeelError('SOME_CODE', 'what was wrong', {
      cause: new TypeError(SECRETS[0], { cause: refused }),
      data: { port: 8080 },
    });
    logger.error('it failed', error, { passId: 'p1' });
    for (const part of [
      'it failed',
      'EvenkeelError',
      'SOME_CODE',
      'what was wrong',
      'TypeError < Error/ECONNREFUSED',
    ]) {
      expect(text()).toContain(part);
    }
    expect(text()).toContain('p1');
  });

  it('R-1.24 the log never contains the text of a foreign error, a parser or a server', () => {
    const { logger, text } = make();
    const parserError = (() => {
      try {
        return JSON.parse(`{"password": ${SECRETS[0]}}`);
      } catch (error) {
        return error;
      }
    })();
    const httpError = Object.assign(new Error(`HTTP 500: ${SECRETS[3]}`), { body: SECRETS[3], headers: SECRETS });
    logger.error('parsing failed', parserError);
    logger.error('request failed', httpError);
    logger.error('wrapped', new ApiError('ServerError', 'the server answered 500', { cause: httpError }));
    logger.error('many', new AggregateError([httpError, parserError], SECRETS[0]));
    logger.error('thrown text', `thrown ${SECRETS[0]}`);
    logger.error('thrown object', { message: SECRETS[0] });
    logger.error('renamed', Object.assign(new Error('x'), { code: `${SECRETS[0]} with spaces`, name: 'E' }));
    for (const secret of SECRETS) expect(text()).not.toContain(secret);
    expect(text()).toContain('SyntaxError');
    expect(text()).toContain('API_SERVER_ERROR');
  });

  it('R-1.24 the logger removes credentials from a text or a field', () => {
    const { logger, text } = make();
    logger.info(`sent Authorization: Bearer ${SECRETS[0]}`, {
      note: `token ${SECRETS[1]} and ${SECRETS[2]}`,
      password: SECRETS[0],
      url: 'https://admin:hunter2-the-password@host/?X-Amz-Signature=raw-server-response-body&a=b',
      pem: '-----BEGIN RSA PRIVATE KEY-----\nraw-server-response-body\n',
    });
    for (const secret of SECRETS) expect(text()).not.toContain(secret);
    expect(text()).toContain('[redacted]');
  });

  it('the logger writes control characters so that they cannot forge a line or command a terminal', () => {
    const { logger, text } = make();
    logger.info('one\ntwo\u001b[2J\u202ethree', { name: 'a\r\nb' });
    expect(text()).toContain('one two [2J three');
    for (const forbidden of ['\u001b', '\\u001b', '\\r\\n', '\u202e']) expect(text()).not.toContain(forbidden);
  });

  it('the logger cuts a long text', () => {
    const { logger, text } = make();
    logger.info('x'.repeat(100_000));
    expect(text().length).toBeLessThan(2_000);
  });
});

describe('levels', () => {
  it.each(['HumanLogger', 'JsonLogger'])('the level %s leaves out lower levels', (name) => {
    const output = new RecordedLines();
    const clock = new ManualClock();
    const logger =
      name === 'HumanLogger' ? new HumanLogger(output, clock, 'warn') : new JsonLogger(output, clock, 'warn');
    logger.debug('quiet');
    logger.info('quiet');
    logger.warn('heard');
    logger.error('heard', new Error('x'));
    expect(output.lines).toHaveLength(2);
  });

  it('a line for a person starts with the time and names the level when it is not info', () => {
    const output = new RecordedLines();
    const logger = new HumanLogger(output, new ManualClock(Date.UTC(2026, 0, 1, 9, 8, 7)), 'debug');
    logger.info('relay connected', { cluster: 'local' });
    logger.warn('slow');
    expect(output.lines).toEqual(['09:08:07 relay connected cluster=local', '09:08:07 warn: slow']);
  });

  it('a JSON line is one object', () => {
    const output = new RecordedLines();
    new JsonLogger(output, new ManualClock(0), 'info').error('m', new EvenkeelError('C', 't'), { a: 1 });
    expect(JSON.parse(output.text)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'm',
      a: 1,
      error: { name: 'EvenkeelError', code: 'C', message: 't' },
    });
  });
});
