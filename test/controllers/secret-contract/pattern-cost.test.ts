import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import { SecretContractGrants } from '../../../lib/controllers/secret-contract/kinds.ts';
import { parseContract } from '../../../lib/controllers/secret-contract/parse-contract.ts';
import { PatternCache } from '../../../lib/controllers/secret-contract/pattern-cache.ts';
import { patternCost } from '../../../lib/controllers/secret-contract/pattern-cost.ts';
import { Secrets } from '../../../lib/core/resource-type.ts';
import { FakeContext } from './fake-context.ts';
import { contractObject, grantObject, secretObject } from './objects.ts';
import { pass, shown } from './pass.ts';

const ALLOW = { 'evenkeel.dev/allow-content-rules': 'true' };
/** What one contract may cost, as parse-contract.ts has it. */
const BOUND = 2_000_000;
const FOLDED = `(?i)${'[!-\u{10000}]'.repeat(84)}`;

function contractOf(patterns: readonly string[], name = 'db') {
  const keys = patterns.map((pattern, index) => ({ name: `key-${index}`, pattern }));
  return contractObject({ metadata: { name, uid: `${name}-uid` }, spec: { keys } });
}

describe('the cost of a pattern', () => {
  it.each<[string, string]>([
    ['wide classes whose case is folded', FOLDED],
    ['the same by escapes', `(?i)${'[\\x{21}-\\x{10000}]'.repeat(26)}`],
    ['a flag that comes late and with others', `${'[!-\u{10000}]'.repeat(80)}(?si:k)`],
    ['folded classes of Unicode', `(?i)${'\\pL'.repeat(169)}`],
    ['repetitions', '(a?){0,999}'.repeat(46)],
    ['repetitions of repetitions', `(${'((a{10}){10}){10}'.repeat(28)})`],
    ['classes repeated', '\\pL{1000}'.repeat(50)],
  ])('R-2.14 the cost of a pattern is above the limit of a contract when the pattern has %s', (_, pattern) => {
    expect(patternCost(pattern).steps).toBeGreaterThan(BOUND / 16);
    expect(parseContract(contractOf(Array.from({ length: 16 }, () => pattern))).valid).toBe(false);
  });

  it.each([
    'a',
    '',
    '[a-z]+',
    'pk-[0-9a-zA-Z_-]{1,253}',
    '(?i)^bearer [!-~]{20,500}$',
    '(?P<a>b|c)*?',
    '\\Q((a{1000}\\E',
    '[]a]{2}',
    '[^]a](?:b)',
    '\\p{Greek}+\\PL',
    '(a|b(c|d){3}){4}',
    'a{,3}',
    '\\b{3}',
    '((a{10}){10}){9}',
    '[[:alpha:]\\d]{4,}',
    '\\x{1F600}?\\(\\[',
  ])('R-2.14 the cost of a pattern is at least the number of instructions that "%s" compiles to', (pattern) => {
    const { steps, isUnclosed } = patternCost(pattern);
    expect(steps / 40).toBeGreaterThanOrEqual(RE2JS.compile(pattern).programSize());
    expect(isUnclosed).toBe(false);
  });

  it.each(['(', 'a(b', '(?:a|(b)', '[(]('])('R-6.4 sees that "%s" lacks a closing parenthesis', (pattern) => {
    expect(patternCost(pattern).isUnclosed).toBe(true);
    expect(() => RE2JS.compile(pattern)).toThrow('missing closing )');
  });

  it.each(['['.repeat(500), '('.repeat(500), '\\', '[a', '[\\', '{9999999999}', '\\x{fffffffff}', '\ud800['])(
    'R-6.4 is found for any text: %j',
    (pattern) => {
      expect(patternCost(pattern).steps).toBeGreaterThan(0);
    },
  );
});

describe('what contracts may cost together', () => {
  it('R-2.14 twenty contracts with wide classes that ignore case compile nothing, and are reported', async () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const fake = new FakeContext();
    fake.put(Secrets, secretObject(undefined, { labels: ALLOW }));
    for (let index = 0; index < 20; index += 1) {
      const patterns = Array.from({ length: 16 }, (_, key) => `${FOLDED.slice(0, -4)}${index}-${key}`);
      const result = await pass(contractOf(patterns, `c${index}`), fake);
      expect(shown(result).KeysValid).toBe('False InvalidRule');
    }
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  it('R-2.14 twenty contracts that stay within the bound cost at most twenty times the bound, and nothing again', () => {
    const cache = new PatternCache();
    const compileAll = () => {
      for (let index = 0; index < 20; index += 1) {
        const pattern = `(?i)${'[!-\u{8000}]'.repeat(3)}contract-${index}`;
        const object = contractOf(Array.from({ length: 16 }, (_, key) => `${pattern}-${key}`));
        const parsed = parseContract(object, (expression) => ({ ok: true, pattern: cache.defer(expression) }));
        for (const key of parsed.valid ? parsed.contract.keys : []) key.pattern?.matches('x');
      }
    };
    compileAll();
    expect(cache.spentSteps).toBeGreaterThan(BOUND);
    expect(cache.spentSteps).toBeLessThanOrEqual(20 * BOUND);
    const spent = cache.spentSteps;
    compileAll();
    expect(cache.spentSteps).toBe(spent);
  });

  it.each([
    ['patterns', { patterns: 3, instructions: 1_000_000 }],
    ['instructions', { patterns: 1_000, instructions: 250 }],
  ])('R-2.14 the cache stays within its limit of %s, and keeps the patterns that were used last', (_, limits) => {
    const cache = new PatternCache(limits);
    for (let index = 0; index < 50; index += 1) cache.compile(`${index}a{70}`);
    expect(cache.size.patterns).toBeLessThanOrEqual(Math.min(3, limits.patterns));
    expect(cache.size.instructions).toBeLessThanOrEqual(limits.instructions);
    const spent = cache.spentSteps;
    cache.compile('49a{70}');
    expect(cache.spentSteps).toBe(spent);
    cache.compile('0a{70}');
    expect(cache.spentSteps).toBeGreaterThan(spent);
  });
});

describe('a contract that cannot be read further', () => {
  const withPattern = (spec: Record<string, unknown> = {}) =>
    contractObject({
      spec: { keys: [{ name: 'password', pattern: `[a-z]+-${JSON.stringify(spec).length}` }], ...spec },
    });
  const foreign = { secretRef: { name: 'db', namespace: 'vault' } };

  it.each<[string, ReturnType<typeof contractObject>, (fake: FakeContext) => void, string]>([
    ['its Secret is absent', withPattern(), () => {}, 'False SecretNotFound'],
    ['no grant names it', withPattern(foreign), () => {}, 'False GrantMissing'],
    [
      'its Secret does not permit content rules',
      withPattern(),
      (fake) => fake.put(Secrets, secretObject()),
      'False ContentRulesNotPermitted',
    ],
    [
      'the grant does not permit content rules',
      withPattern(foreign),
      (fake) => {
        fake.put(Secrets, secretObject(undefined, { namespace: 'vault' }));
        fake.put(SecretContractGrants, grantObject());
      },
      'False ContentRulesNotPermitted',
    ],
    [
      'its Secret cannot be read',
      withPattern(),
      (fake) => fake.fail('secrets/app/db', 'Timeout'),
      'Unknown SecretReadFailed',
    ],
  ])('R-2.14 compiles no pattern when %s', async (_, contract, prepare, ready) => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const fake = new FakeContext();
    prepare(fake);
    expect(shown(await pass(contract, fake)).Ready).toBe(ready);
    expect(compile).not.toHaveBeenCalled();
    compile.mockRestore();
  });

  it.each(['a**', '[z-a]', '(?<=a)b'])(
    'R-6.4 an invalid expression such as %s is reported when the Secret permits content rules',
    async (pattern) => {
      const fake = new FakeContext();
      fake.put(Secrets, secretObject(undefined, { labels: ALLOW }));
      const result = await pass(contractObject({ spec: { keys: [{ name: 'password', pattern }] } }), fake);
      expect(result.outcome).toMatchObject({
        type: 'terminal',
        reason: 'InvalidRule',
        message: expect.stringContaining('spec.keys[0].pattern is no regular expression in RE2 syntax'),
      });
      expect(result.status.findings).toEqual([{ key: 'password', rule: 'pattern', reason: 'InvalidRule' }]);
    },
  );
});
