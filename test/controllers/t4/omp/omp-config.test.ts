import { describe, expect, it } from 'vitest';
import { OmpConfigCheck } from '../../../../lib/controllers/t4/omp/omp-config.ts';
import { hasValues } from '../../../../lib/controllers/t4/omp/omp-secret.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { MODELS, OMP_SETTINGS, SETTINGS } from '../objects.ts';

const KEYS = SETTINGS.omp.configMap;

function object(data: unknown): KubeObject {
  return { apiVersion: 'v1', kind: '', metadata: { name: 'omp', uid: 'u', resourceVersion: '1' }, data };
}

function check(models: unknown, settings: unknown = OMP_SETTINGS) {
  return new OmpConfigCheck().check(object({ 'models.yml': models, 'settings.yml': settings }), KEYS);
}
const reason = (models: unknown, settings?: unknown) => check(models, settings)?.reason;
const models = (extra: string) => `providers:\n  local: {auth: none, ${extra}}\n`;

describe('the OMP ConfigMap', () => {
  it.each([
    ['a mapping of providers', MODELS],
    ['a list of providers', 'providers: [{name: a, auth: none}, {name: b, auth: "none"}]'],
    ['a plain URL', models('url: "https://models.svc:8443/v1/chat"')],
    ['a limit of tokens', models('maxTokens: 8192, max_output_tokens: 1.0e4')],
  ])('R-4.2 the check accepts %s', (_, text) => {
    expect(check(text)).toBeUndefined();
  });

  it.each([
    ['a missing key', undefined],
    ['a key that is no text', 7],
    ['no mapping', '- a'],
    ['an alias', `${MODELS}a: *b`],
    ['no providers', 'theme: dark'],
    ['providers that are null', 'providers:'],
    ['an empty mapping of providers', 'providers: {}'],
    ['an empty list of providers', 'providers: []'],
    ['providers that are a text', 'providers: local'],
  ])('R-4.2 the check reports invalid models when they have %s', (_, text) => {
    expect(reason(text)).toBe('OMPConfigMapInvalid');
  });

  it.each([
    ['a missing key', null],
    ['two documents', 'a: 1\n---\nb: 1'],
    ['a list', '- a'],
  ])('R-4.2 the check reports invalid settings when they have %s', (_, text) => {
    expect(reason(MODELS, text)).toBe('OMPConfigMapInvalid');
  });

  it('R-4.2 the check reports invalid data with the key and without the value when the data is not a map', () => {
    expect(new OmpConfigCheck().check(object('hunter2'), KEYS)?.reason).toBe('OMPConfigMapInvalid');
    expect(new OmpConfigCheck().check(object({ 'models.yml': MODELS }), KEYS)?.message).toBe(
      'Key settings.yml is missing.',
    );
    const fault = check(models('apiKey: hunter2'));
    expect(JSON.stringify(fault)).toContain('models.yml');
    expect(JSON.stringify(fault)).not.toContain('hunter2');
  });

  it.each([
    ['says nothing of auth', 'providers: {a: {url: x}}'],
    ['says auth: null', 'providers: {a: {auth: }}'],
    ['says auth: None', 'providers: {a: {auth: None}}'],
    ['says auth: key', 'providers: {a: {auth: none}, b: {auth: key}}'],
    ['is a text', 'providers: {a: none}'],
    ['is listed without auth', 'providers: [{auth: none}, {}]'],
  ])('R-4.2 the check reports an unsafe provider when it %s', (_, text) => {
    expect(reason(text)).toBe('OMPModelsAuthenticationUnsafe');
  });

  const CREDENTIALS = [
    'apiKey: x',
    'API-KEY: x',
    'api_key: x',
    '"x api key": x',
    'xApiKeyEnv: x',
    'Authorization: x',
    'credentials: {}',
    'userCredential: x',
    'password: x',
    'db.Password: 12345',
    'passwords: 12345',
    'clientSecret: x',
    'secrets: 1',
    'token: 12345',
    'accessToken: x',
    'maxTokens: "8192"',
    'tokens: 8192',
    'tokenTokens: 8192',
    'secretTokens: 8192',
    'headers: {}',
    'authHeader: true',
    'ＡＰＩＫＥＹ: x',
    'deep: [{deeper: {pass-word: x}}]',
    'url: "http://me@models.svc/"',
    'url: "http://me:x@models.svc/"',
    'url: "http://models.svc/?key=1"',
    'url: "http://models.svc/?"',
    'url: "http://models.svc/#a"',
    'url: "HTTPS://models.svc?key=1"',
    'url: "//me@models.svc"',
    "url: 'http:\\\\me@models.svc'",
    'url: "http:me@models.svc"',
    'url: "postgres://me:x@db/name"',
    'text: "look at http://a.b/c and http://a.b/?d"',
    '"http://me@models.svc": x',
    'url: "http://models.svc/a b?key=1"',
    "url: 'http://models.svc/`?key=1'",
    `url: 'http://models.svc/"?key=1'`,
    'url: "http://models.svc/<a>#b"',
    'url: "http://models.svc/\\t?key=1"',
    'url: "http:/\\t/me@models.svc"',
    'url: "ht\\ntp:me@models.svc"',
    'url: "\\0 https:me@models.svc"',
    'url: "http://me: x@models.svc"',
  ];

  it.each(CREDENTIALS)('R-4.2 R-1.24 %s is unsafe in models and in settings', (entry) => {
    expect(reason(models(entry))).toBe('OMPModelsAuthenticationUnsafe');
    expect(reason(MODELS, `a: {${entry}}`)).toBe('OMPSettingsAuthenticationUnsafe');
  });

  it.each([
    'path: /a/b?c',
    'email: me@example.com',
    'text: "what? #1"',
    'author: ada',
    'keyboard: us',
    'time: 12:30:15',
    'text: "see http://models.svc/ and say what you think?"',
    'text: "note: what? #1"',
  ])('R-4.2 %s does not count as a credential', (entry) => {
    expect(reason(models(entry))).toBeUndefined();
  });

  // An algorithm that is not linear in the length would exceed the test's time limit.
  it.each(['a', 'a.', 'a:', '/', '//', '//a ', 'http:', 'https:/a ', '@', '\t', 'a@'])(
    'R-1.6 the check needs linear time for a text full of %j of the longest length, as a value and as a key',
    (part) => {
      const text = part.repeat(Math.floor(60_000 / (JSON.stringify(part).length - 2)));
      for (const entry of [`a: ${JSON.stringify(text)}`, `? ${JSON.stringify(text)}\n: 1`]) {
        const found = reason(MODELS, entry);
        expect([undefined, 'OMPSettingsAuthenticationUnsafe']).toContain(found);
      }
    },
  );

  it('R-4.2 the check reports the models first', () => {
    expect(reason('providers: {}', '- a')).toBe('OMPConfigMapInvalid');
    expect(reason(models('apiKey: x'), 'apiKey: x')).toBe('OMPModelsAuthenticationUnsafe');
    expect(reason(models('apiKey: x'), '- a')).toBe('OMPConfigMapInvalid');
  });

  it('R-1.1 a remembered answer is used only for equal documents', () => {
    const check = new OmpConfigCheck();
    const ask = (models: string) =>
      check.check(object({ 'models.yml': models, 'settings.yml': OMP_SETTINGS }), KEYS)?.reason;
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 40; index += 1) {
        expect(ask(`${MODELS}count: ${index}`)).toBeUndefined();
        expect(ask(`${MODELS}token: ${index}`)).toBe('OMPModelsAuthenticationUnsafe');
      }
    }
  });
});

describe('the OMP Secret', () => {
  const value = (text: string) => Buffer.from(text).toString('base64');
  it.each([
    ['every key has a value', { a: value('x'), b: value('y'), c: '' }, true],
    ['a key is missing', { a: value('x') }, false],
    ['a value is empty', { a: value('x'), b: '' }, false],
    ['a value is null', { a: value('x'), b: null }, false],
    ['a value is no text', { a: value('x'), b: 7 }, false],
    ['there is no data', undefined, false],
    ['a key is inherited', Object.create({ a: value('x'), b: value('y') }), false],
  ])('R-4.2 %s', (_, data, expected) => {
    expect(hasValues(object(data), ['a', 'b'])).toBe(expected);
  });
});
