import { describe, expect, it } from 'vitest';
import { SecretValues } from '../../lib/plan/changes/secret-values.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function valuesOf(data: Record<string, string>): SecretValues {
  const values = new SecretValues();
  values.add({ data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])) });
  return values;
}

const PASSWORD = 'p@ss/w"rd long';
const LOGIN = { username: 'shop', password: PASSWORD };
const REGISTRY = JSON.stringify({ auths: { 'registry.test': { username: 'u', password: 'leaf-value-1' } } });
const REGISTRY_AUTH = JSON.stringify({ auths: { 'registry.test': { auth: base64('robot:leaf-value-2') } } });

describe('the values of a Secret', () => {
  it.each<[string, Record<string, string>, string]>([
    ['percent-encoded', LOGIN, `postgres://shop:${encodeURIComponent(PASSWORD)}@h/db`],
    [
      'percent-encoded in lower case',
      LOGIN,
      `x=${encodeURIComponent(PASSWORD).replace(/%../g, (code) => code.toLowerCase())}`,
    ],
    ['encoded as a form', LOGIN, new URLSearchParams({ password: PASSWORD }).toString()],
    ['encoded twice', LOGIN, encodeURIComponent(encodeURIComponent(PASSWORD))],
    ['in JSON', LOGIN, JSON.stringify({ password: PASSWORD })],
    ['in JSON within JSON', LOGIN, JSON.stringify({ applied: JSON.stringify({ password: PASSWORD }) })],
    ['in JSON with escaped letters', LOGIN, '{"password":"p\\u0040ss\\/w\\"rd long"}'],
    ['in base64 with its user', LOGIN, `Basic ${base64(`shop:${PASSWORD}`)}`],
    ['in base64 with its user when both are short', { user: 'a', pass: 'bcd' }, `Basic ${base64('a:bcd')}`],
    ['in base64 of a longer text', LOGIN, `https://h/${base64(`other:${PASSWORD}:more`)}/x`],
    ['in URL-safe base64', { key: 'ab?>~~??>>value' }, Buffer.from('x:ab?>~~??>>value').toString('base64url')],
    ['in base64 of a URL', LOGIN, base64(`postgres://shop:${encodeURIComponent(PASSWORD)}@h/db`)],
    ['as a leaf of a JSON value', { '.dockerconfigjson': REGISTRY }, 'the password is leaf-value-1'],
    ['as a leaf of a JSON value with its user', { '.dockerconfigjson': REGISTRY }, base64('u:leaf-value-1')],
    ['as the text of a JSON value', { key: '"quoted-value-3"' }, 'the key is quoted-value-3'],
    ['in a list of a JSON value', { keys: '["a", ["listed-value-4"]]' }, 'the key is listed-value-4'],
    ['within the auth of a registry', { '.dockerconfigjson': REGISTRY_AUTH }, 'the password is leaf-value-2'],
  ])('R-1.24 SecretValues finds a value when a text holds it %s', (_, data, text) => {
    expect(valuesOf(data).isIn(text)).toBe(true);
    expect(valuesOf(data).hide(text)).toBe('hidden: it contains a value of a Secret');
  });

  it.each([
    'postgres://shop:other%2Fpassword@h/db',
    'a host at %zz and C:\\path\\u12',
    base64('shop:other-password'),
    'registry.test',
  ])('R-1.24 SecretValues finds nothing when %j holds no value', (text) => {
    expect(valuesOf({ ...LOGIN, '.dockerconfigjson': REGISTRY }).isIn(text)).toBe(false);
  });

  it.each([
    ['--pin=1234', true],
    ['1234', true],
    [encodeURIComponent('pin: 1234'), true],
    ['12345', false],
    ['a1234', false],
    ['shop:ab', false],
  ])('R-1.24 SecretValues of a plan finds a short value when it is a word of %j: %s', (text, isFound) => {
    const values = new SecretValues({ findsWords: true });
    values.add({ data: { pin: base64('1234'), user: base64('ab') } });
    expect(values.isIn(text)).toBe(isFound);
  });
});
