import { describe, expect, it } from 'vitest';
import { accessKeyCheck, refusalOf, tokenCheck } from '../../../lib/adapters/loopback/request-guard.ts';

const TOKEN = 'a-token';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('refusalOf', () => {
  it.each(['127.0.0.1', '127.0.0.1:8080', 'localhost:1', 'LocalHost:65535', '[::1]:80'])(
    'R-5.24 the guard lets a request pass when its Host is %s',
    (host) => {
      expect(refusalOf({ host })).toBeUndefined();
    },
  );

  it.each([
    undefined,
    '',
    'evil.example',
    '127.0.0.1.nip.io:8080',
    'localhost.evil.example',
    'localtest.me',
    '127.0.0.2',
    '0.0.0.0:80',
    '[::ffff:127.0.0.1]:80',
    '127.0.0.1:80@evil.example',
    '127.0.0.1:',
    'evil.example:127.0.0.1',
  ])('R-5.24 the guard refuses a request when its Host is %s', (host) => {
    expect(refusalOf({ ...(host !== undefined && { host }) })).toMatchObject({ status: 403 });
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    'http://127.0.0.1:3000',
    'http://localhost:80',
    'http://127.0.0.1:80.evil.example',
    'file://',
  ])('R-5.24 the guard refuses a request of a page when its Origin is %s', (origin) => {
    expect(refusalOf({ host: '127.0.0.1:80', origin })).toMatchObject({ status: 403 });
  });

  it('R-5.24 the guard lets a request pass when its Origin is the service itself', () => {
    expect(refusalOf({ host: '127.0.0.1:80', origin: 'http://127.0.0.1:80' })).toBeUndefined();
    expect(refusalOf({ host: 'localhost:80', origin: 'https://localhost:80' })).toBeUndefined();
  });

  it.each(['cross-site', 'same-site', 'none, cross-site', 'None', ''])(
    'R-5.24 the guard refuses a request when its Sec-Fetch-Site is %s',
    (site) => {
      expect(refusalOf({ host: 'localhost', 'sec-fetch-site': site })).toMatchObject({ status: 403 });
    },
  );

  it.each(['none', 'same-origin'])('R-5.24 the guard lets a request pass when its Sec-Fetch-Site is %s', (site) => {
    expect(refusalOf({ host: 'localhost', 'sec-fetch-site': site })).toBeUndefined();
  });

  it('R-5.24 the guard requires only the credential when the request is not from a page', () => {
    const refuseAll = () => false;
    expect(refusalOf({ host: 'localhost' }, refuseAll)).toEqual({ status: 401, message: 'Unauthorized' });
    expect(refusalOf({ host: 'evil.example' }, refuseAll)).toMatchObject({ status: 403 });
  });
});

describe('tokenCheck', () => {
  const isAuthorized = tokenCheck(TOKEN);
  it.each([`Bearer ${TOKEN}`, `bearer  ${TOKEN}`, basic(`evenkeel:${TOKEN}`), basic(`:${TOKEN}`)])(
    'R-5.24 the check accepts the token when it is given as %s',
    (authorization) => {
      expect(isAuthorized(authorization)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    TOKEN,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Digest ${TOKEN}`,
    basic(`${TOKEN}:`),
    basic('evenkeel:'),
    'Basic %%%',
    `AWS4-HMAC-SHA256 Credential=${TOKEN}/20260101/r/sqs/aws4_request`,
  ])('R-5.24 the check refuses the request when its Authorization is %s', (authorization) => {
    expect(isAuthorized(authorization)).toBe(false);
  });
});

describe('accessKeyCheck', () => {
  const isAuthorized = accessKeyCheck(TOKEN);
  it('R-5.24 the check accepts a signature when its access key is the token', () => {
    expect(isAuthorized(`AWS4-HMAC-SHA256 Credential=${TOKEN}/20260101/r/sqs/aws4_request, Signature=0`)).toBe(true);
  });

  it.each([
    undefined,
    'AWS4-HMAC-SHA256 Credential=/20260101/r/sqs/aws4_request',
    'AWS4-HMAC-SHA256 Credential=local/20260101/r/sqs/aws4_request',
    `AWS4-HMAC-SHA256 Credential=${TOKEN}x/20260101/r/sqs/aws4_request`,
    `Bearer ${TOKEN}`,
  ])('R-5.24 the check refuses a signature when its Authorization is %s', (authorization) => {
    expect(isAuthorized(authorization)).toBe(false);
  });
});
