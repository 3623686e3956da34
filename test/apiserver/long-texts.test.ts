import { EvaluationError } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { runtimeFault } from '../../lib/apiserver/schema/cel/faults.ts';
import { parseUrl } from '../../lib/apiserver/schema/cel/url.ts';
import { hasFormat } from '../../lib/apiserver/schema/formats.ts';
import { compileJsonPath } from '../../lib/apiserver/table/json-path.ts';
import { unlessItHangs } from '../support/unless-it-hangs.ts';
import { ApiClient, testServer } from './api-client.ts';

const LONG = 1_000_000;
const namespaces = '/api/v1/namespaces';

describe('texts from outside that are long', () => {
  it.each([
    ['4,000 plus signs, which are spaces', '+'.repeat(4_000), "can't understand"],
    ['many spaces behind a field', `metadata.name${'+'.repeat(LONG)}`, "can't understand"],
    ['many spaces before the operator', `${'+'.repeat(LONG)}=a`, 'field label not supported'],
    ['many backslashes', `metadata.name=${'\\'.repeat(LONG + 1)}`, 'invalid escape sequence'],
  ])('R-5.24 the server refuses a field selector at once when it is %s', async (_, selector, message) => {
    const client = new ApiClient(testServer());
    const { status, body } = await unlessItHangs(() => client.get(`${namespaces}?fieldSelector=${selector}`));
    expect(status).toBe(400);
    expect(body.message).toContain(message);
  });

  it.each([
    ['a filter has many members and no operator', `.a[?(@${'.a'.repeat(60)} < 1)]`],
    ['a filter has many dots', `.a[?(@${'.'.repeat(LONG)}<1)]`],
    ['a filter compares with many spaces', `.a[?(@.a==1${' '.repeat(LONG)}x)]`],
  ])('R-5.24 a JSONPath is refused at once when %s', (_, path) => {
    expect(() => unlessItHangs(() => compileJsonPath(path))).toThrow('the JSONPath');
  });

  it.each([
    ['digits alone', '1'.repeat(LONG), false],
    ['digits and a sign', `${'9'.repeat(LONG)}-`, false],
    ['digits, spaces and digits', `1${' '.repeat(LONG)}1`, false],
    ['digits and a unit', `${'1'.repeat(LONG)} days`, true],
  ])('R-5.24 a duration is judged at once when it is %s', (_, text, valid) => {
    expect(unlessItHangs(() => hasFormat(text, 'duration'))).toBe(valid);
  });

  it.each([
    ['a long host and a fragment', `//${'a'.repeat(LONG)}#`],
    ['a long path and a fragment', `https://a/${'a'.repeat(LONG)}#`],
    ['a long host with slashes and a fragment', `a://${'a'.repeat(LONG)}${'/'.repeat(LONG)}#`],
  ])('R-5.24 the URL of a rule is refused at once when it has %s', (_, text) => {
    expect(unlessItHangs(() => parseUrl(text))).toBeUndefined();
  });

  it.each([
    ['https://user@example.org:8080/a/b?c=d#e', ['https', 'example.org:8080', '/a/b', 'd#e']],
    ['/a?c=d', ['', '', '/a', 'd']],
    ['http://[::1]?c=', ['http', '[::1]', '', '']],
    ['//host/a', ['', 'host', '/a', undefined]],
    ['mailto:a', ['mailto', '', '', undefined]],
  ])('R-6.2 the URL of a rule is split as Go splits it when it is %s', (text, parts) => {
    const url = parseUrl(text);
    expect([url?.scheme, url?.host, url?.escapedPath, url?.query.get('c')?.[0]]).toEqual(parts);
  });

  it.each([
    ["found no matching overload for 'string.matches(google.protobuf.Timestamp)'", 'matches'],
    ["found no matching overload for 'size(int)'", 'size'],
    [`found no matching overload for '${'a'.repeat(LONG)}'`, ''],
    [`${"for '.".repeat(LONG)}`, ''],
  ])('R-5.24 a fault of a rule names its function at once when the fault is %.60s', (message, name) => {
    const fault = new EvaluationError({ code: 'no_matching_overload', message });
    expect(unlessItHangs(() => runtimeFault(fault))).toBe(`no such overload: ${name}`);
  });
});
