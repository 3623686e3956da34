import { describe, expect, it } from 'vitest';
import type { KeyRules } from '../../../lib/controllers/secret-contract/contract.ts';
import { evaluateKeys } from '../../../lib/controllers/secret-contract/key-rules.ts';
import { compilePattern, type ValuePattern } from '../../../lib/controllers/secret-contract/value-pattern.ts';
import { CERTIFICATE_2026, CERTIFICATE_2027 } from './certificates.ts';
import { NOW_MS } from './objects.ts';

function rules(changes: Partial<KeyRules> = {}): KeyRules {
  return {
    name: 'key',
    optional: false,
    nonEmpty: true,
    minLength: undefined,
    maxLength: undefined,
    pattern: undefined,
    format: undefined,
    ...changes,
  };
}

function pattern(expression: string): ValuePattern {
  const compiled = compilePattern(expression);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.pattern;
}

function violated(
  changes: Partial<KeyRules>,
  value: string | Uint8Array | undefined,
  options: { contentRules?: boolean; nowMs?: number } = {},
): string[] {
  const values = new Map(value === undefined ? [] : [['key', Buffer.from(value as string)]]);
  const { findings } = evaluateKeys([rules(changes)], values, { contentRules: true, nowMs: NOW_MS, ...options });
  return findings.map(({ rule, reason }) => `${rule}:${reason}`);
}

const INVALID_UTF8 = Uint8Array.of(0xff, 0xfe, 0x61);

describe('the rules of a key', () => {
  it.each<[string, Partial<KeyRules>, string | Uint8Array | undefined, string[]]>([
    ['an absent key', {}, undefined, ['required:KeyMissing']],
    ['an absent optional key', { optional: true, minLength: 5 }, undefined, []],
    ['an optional key that is there', { optional: true, minLength: 5 }, 'abc', ['minLength:RuleViolated']],
    ['an empty value', {}, '', ['nonEmpty:RuleViolated']],
    ['an empty value where that is allowed', { nonEmpty: false }, '', []],
    ['a value of the least length', { minLength: 3 }, 'abc', []],
    ['a value below the least length', { minLength: 4 }, 'abc', ['minLength:RuleViolated']],
    ['a value of the greatest length', { maxLength: 3 }, 'abc', []],
    ['a value above the greatest length', { maxLength: 2 }, 'abc', ['maxLength:RuleViolated']],
    ['lengths in bytes, not characters', { maxLength: 2 }, '€', ['maxLength:RuleViolated']],
    ['a value that the pattern matches', { pattern: pattern('[a-z]+') }, 'abc', []],
    ['a value that it matches in part', { pattern: pattern('[a-z]+') }, 'abc1', ['pattern:RuleViolated']],
    ['binary under a pattern', { pattern: pattern('(?s).*') }, INVALID_UTF8, ['pattern:RuleViolated']],
    ['a byte order mark under a pattern', { pattern: pattern('a') }, '\ufeffa', ['pattern:RuleViolated']],
    [
      'several at once',
      { minLength: 9, maxLength: 1, pattern: pattern('b'), format: 'JSON' },
      'a]',
      ['minLength:RuleViolated', 'maxLength:RuleViolated', 'pattern:RuleViolated', 'format:RuleViolated'],
    ],
  ])('R-2.5 %s', (_, changes, value, expected) => {
    expect(violated(changes, value)).toEqual(expected);
  });

  it('R-2.10 rules that reveal content are left out without permission, the others are evaluated', () => {
    const changes = { minLength: 9, maxLength: 1, pattern: pattern('b'), format: 'JSON' } as const;
    expect(violated(changes, 'a]', { contentRules: false })).toEqual(['format:RuleViolated']);
  });

  it('R-1.6 matching that would take too long is a finding, not a stall', () => {
    const costly = { pattern: pattern('(?s).*a.{999}') };
    expect(violated(costly, 'ab'.repeat(500_000))).toEqual(['pattern:PatternTooCostly']);
    expect(violated(costly, 'ab'.repeat(5_000))).toEqual([]);
  });

  it('R-2.5 a Secret of 1 MiB in 64 keys is evaluated', () => {
    const keys = Array.from({ length: 64 }, (_, index) => rules({ name: `k${index}`, pattern: pattern('[a-z]*') }));
    const values = new Map(keys.map(({ name }) => [name, Buffer.alloc(16_384, 'x')]));
    expect(evaluateKeys(keys, values, { contentRules: true, nowMs: NOW_MS }).findings).toEqual([]);
  });
});

describe('the formats', () => {
  const block = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
  const der = Buffer.from(CERTIFICATE_2026.replace(/-----.*-----|\n/g, ''), 'base64');

  it.each<[KeyRules['format'], string, string | Uint8Array]>([
    ['PEM', 'one block', block('PRIVATE KEY', 'aGVsbG8=')],
    ['PEM', 'two blocks with text between', `${CERTIFICATE_2026}subject: CN=b\n${CERTIFICATE_2027}`],
    ['PEM', 'line ends of Windows', block('PRIVATE KEY', 'aGVs\r\nbG8=').replaceAll('\n', '\r\n')],
    ['PEM', 'header lines', block('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: X,00\n\naGVsbG8=')],
    ['JSON', 'an object', '{"a": [1, null]}'],
    ['JSON', 'a text', '"a"'],
    ['Base64', 'padded', 'aGVsbG8='],
    ['Base64', 'wrapped lines and a line end', 'aGVs\nbG8=\n'],
    ['Certificate', 'PEM', CERTIFICATE_2026],
    ['Certificate', 'a chain', CERTIFICATE_2026 + CERTIFICATE_2027],
    ['Certificate', 'with its key', block('PRIVATE KEY', 'aGVsbG8=') + CERTIFICATE_2026],
    ['Certificate', 'DER', der],
  ])('R-2.5 %s holds: %s', (format, _, value) => {
    expect(violated({ format }, value)).toEqual([]);
  });

  it.each<[KeyRules['format'], string, string | Uint8Array]>([
    ['PEM', 'text', 'hello'],
    ['PEM', 'a block that does not end', '-----BEGIN A-----\naGVsbG8=\n'],
    ['PEM', 'a block that does not begin', 'aGVsbG8=\n-----END A-----\n'],
    ['PEM', 'another label at its end', '-----BEGIN A-----\naGVsbG8=\n-----END B-----\n'],
    ['PEM', 'a block in a block', block('A', block('B', 'aGVsbG8='))],
    ['PEM', 'no base64', block('A', '@@@@')],
    ['PEM', 'an empty block', block('A', '')],
    ['PEM', 'headers alone', block('A', 'Proc-Type: 4,ENCRYPTED')],
    ['PEM', 'a second block that is broken', `${CERTIFICATE_2026}-----BEGIN A-----\n`],
    ['JSON', 'text', 'hello'],
    ['JSON', 'two documents', '{}{}'],
    ['JSON', 'binary', INVALID_UTF8],
    ['JSON', 'a byte order mark', '\ufeff{}'],
    ['JSON', 'brackets without end', '['.repeat(1_000_000)],
    ['Base64', 'the URL alphabet', 'a-b_'],
    ['Base64', 'no padding', 'aGVsbG8'],
    ['Base64', 'spaces', 'aGVs bG8='],
    ['Base64', 'padding in the middle', 'aGVsbG8=aGVsbG8='],
    ['Certificate', 'text', 'hello'],
    ['Certificate', 'text that begins like DER', '0123'],
    ['Certificate', 'another block', block('PRIVATE KEY', 'aGVsbG8=')],
    ['Certificate', 'a block that is no certificate', block('CERTIFICATE', 'aGVsbG8=')],
    ['Certificate', 'a chain with a broken one', CERTIFICATE_2026 + block('CERTIFICATE', 'aGVsbG8=')],
  ])('R-2.5 %s is violated by %s', (format, _, value) => {
    expect(violated({ format, nonEmpty: false }, value)).toEqual(['format:RuleViolated']);
  });

  it.each(['PEM', 'JSON', 'Base64', 'Certificate'] as const)(
    'R-2.12 %s is satisfied by an empty value when that is allowed, and violated when it is not',
    (format) => {
      expect(violated({ format, nonEmpty: false }, '')).toEqual([]);
      expect(violated({ format }, '')).toContain('nonEmpty:RuleViolated');
    },
  );

  const check = (value: string, nowMs: number) =>
    evaluateKeys([rules({ format: 'Certificate' })], new Map([['key', Buffer.from(value)]]), {
      contentRules: false,
      nowMs,
    });

  it.each<[string, string, number, boolean, number[], boolean]>([
    ['before notBefore', CERTIFICATE_2026, Date.UTC(2026, 0, 1) - 1, false, [Date.UTC(2026, 0, 1)], false],
    ['at notBefore', CERTIFICATE_2026, Date.UTC(2026, 0, 1), true, [Date.UTC(2027, 0, 1)], false],
    ['just before notAfter', CERTIFICATE_2026, Date.UTC(2027, 0, 1) - 1, true, [Date.UTC(2027, 0, 1)], false],
    ['at notAfter', CERTIFICATE_2026, Date.UTC(2027, 0, 1), false, [], true],
    [
      'in a chain, before the latest notBefore',
      CERTIFICATE_2026 + CERTIFICATE_2027,
      Date.UTC(2026, 4, 1),
      false,
      [Date.UTC(2026, 5, 1)],
      false,
    ],
    [
      'in a chain, until the earliest notAfter',
      CERTIFICATE_2027 + CERTIFICATE_2026,
      NOW_MS,
      true,
      [Date.UTC(2027, 0, 1)],
      false,
    ],
  ])('R-1.25 a certificate %s', (_, value, nowMs, holds, boundaries, expired) => {
    const evaluation = check(value, nowMs);
    expect(evaluation.findings.length === 0).toBe(holds);
    expect(evaluation.boundariesMs).toEqual(boundaries);
    expect(evaluation.passed.length > 0).toBe(expired);
  });
});
