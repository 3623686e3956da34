import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import type { SpecFault } from '../../kit/parse-spec.ts';
import { FORMATS, type KeyRules, type SecretContract } from './contract.ts';
import { FieldReader, type TextRule } from './field-reader.ts';
import type { Finding } from './finding.ts';
import { patternCost } from './pattern-cost.ts';
import { type CompiledPattern, compilePattern, type ValuePattern } from './value-pattern.ts';

/** A contract whose specification slipped past admission, as far as it can be understood. */
export interface InvalidContract {
  readonly namespace: string;
  readonly name: string;
  /** The namespace is undefined where no namespace can have that name. */
  readonly secret: { readonly namespace: string | undefined; readonly name: string };
  readonly hasExternalSecret: boolean;
  /** Not empty. */
  readonly faults: readonly SpecFault[];
  /** The rules of keys that are at fault. */
  readonly findings: readonly Finding[];
}

export type ParsedContract =
  | { readonly valid: true; readonly contract: SecretContract }
  | { readonly valid: false; readonly contract: InvalidContract };

const MAX_KEYS = 64;
const MAX_TARGETS = 16;
const MAX_LENGTH_BYTES = 1_048_576;
/**
 * What compiling all patterns of a contract may cost, by `patternCost`: about 0.1 s, as 50,000 instructions. 512 characters
 * can ask for a hundred times as much, and nothing else runs during that.
 */
const MAX_PATTERN_STEPS = 2_000_000;

const OBJECT_NAME: TextRule = {
  required: true,
  maxLength: 253,
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  kind: 'a DNS subdomain name',
};
const NAMESPACE: TextRule = { maxLength: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, kind: 'a DNS label' };
const KEY_NAME: TextRule = {
  required: true,
  maxLength: 253,
  pattern: /^[-._a-zA-Z0-9]+$/,
  kind: 'a key of a Secret (letters, digits, dashes, dots and underscores)',
};
const EXPRESSION: TextRule = { maxLength: 512, pattern: /./su, kind: 'a regular expression' };

/** Makes a pattern of an expression that is known to cost little, or says what is wrong with it. */
export type PatternReader = (expression: string) => CompiledPattern;

/**
 * Parses a contract as the API server sent it; never throws. The rules are those of the CRD's schema.
 * @param readPattern compiles at once by default.
 */
export function parseContract(object: KubeObject, readPattern: PatternReader = compilePattern): ParsedContract {
  const faults: SpecFault[] = [];
  const findings: Finding[] = [];
  const { name, uid } = object.metadata;
  const namespace = object.metadata.namespace ?? '';
  const spec = FieldReader.of(object.spec, 'spec', faults);

  const reference = spec.object('secretRef');
  const secretName = reference.text('name', OBJECT_NAME) ?? '';
  const secretNamespace = reference.has('namespace') ? reference.text('namespace', NAMESPACE) : namespace;
  const keys = parseKeys(spec, findings, readPattern);
  const maxAgeMs = spec.duration('maxAge', { minMs: 60_000, days: true });
  const ageSource = spec.oneOf('ageSource', ['CreationTimestamp', 'Annotation']) ?? 'CreationTimestamp';
  const externalSecret = parseExternalSecret(spec);
  const targets = parseTargets(spec);
  const mutation = spec.oneOf('mutation', ['Disabled', 'Annotate']) ?? 'Disabled';
  if (mutation === 'Annotate' && targets.length === 0) {
    spec.refuse('mutation', 'is Annotate, which needs at least one target: add one to spec.targets, or set Disabled');
  }

  if (faults.length > 0 || secretNamespace === undefined) {
    const secret = { namespace: secretNamespace, name: secretName };
    const hasExternalSecret = spec.has('externalSecretRef');
    return { valid: false, contract: { namespace, name, secret, hasExternalSecret, faults, findings } };
  }
  const secret: ObjectName = { namespace: secretNamespace, name: secretName };
  const contract = { namespace, name, uid, secret, keys, maxAgeMs, ageSource, externalSecret, targets, mutation };
  return { valid: true, contract };
}

function parseKeys(spec: FieldReader, findings: Finding[], readPattern: PatternReader): KeyRules[] {
  const seen = new Set<string>();
  const budget = new PatternBudget(readPattern);
  return spec.list('keys', { min: 1, max: MAX_KEYS }).map((field) => {
    const name = field.text('name', KEY_NAME) ?? '';
    if (name !== '' && seen.has(name)) field.refuse('name', 'is there already: name each key once');
    seen.add(name);
    const key = parseKey(field, name, budget);
    for (const rule of key.faultyRules) {
      if (name !== '') findings.push({ key: name, rule, reason: 'InvalidRule' });
    }
    return key.rules;
  });
}

function parseKey(field: FieldReader, name: string, budget: PatternBudget): { rules: KeyRules; faultyRules: string[] } {
  const faultyRules: string[] = [];
  const reading = <Value>(rule: string, read: () => Value): Value => {
    const before = field.faults.length;
    const value = read();
    if (field.faults.length > before) faultyRules.push(rule);
    return value;
  };
  const bytes = { min: 0, max: MAX_LENGTH_BYTES };
  const optional = reading('optional', () => field.flag('optional', false));
  const nonEmpty = reading('nonEmpty', () => field.flag('nonEmpty', true));
  const maxLength = reading('maxLength', () => field.integer('maxLength', bytes));
  const minLength = reading('minLength', () => {
    const least = field.integer('minLength', bytes);
    if (least !== undefined && maxLength !== undefined && least > maxLength) {
      field.refuse('minLength', 'is greater than maxLength: no value can satisfy both, so change one');
    }
    return least;
  });
  const pattern = reading('pattern', () => parsePattern(field, budget));
  const format = reading('format', () => field.oneOf('format', FORMATS));
  return { rules: { name, optional, nonEmpty, minLength, maxLength, pattern, format }, faultyRules };
}

/** What is left for the patterns of one contract. Once it is spent nothing more is read. */
class PatternBudget {
  readonly read: PatternReader;
  private left = MAX_PATTERN_STEPS;

  constructor(read: PatternReader) {
    this.read = read;
  }

  spend(steps: number): boolean {
    if (this.left >= 0) this.left -= steps;
    return this.left >= 0;
  }
}

function parsePattern(field: FieldReader, budget: PatternBudget): ValuePattern | undefined {
  const expression = field.text('pattern', EXPRESSION);
  if (expression === undefined) return undefined;
  const cost = patternCost(expression);
  if (cost.isUnclosed) return field.refuse('pattern', notRegularExpression('missing closing )'));
  if (!budget.spend(cost.steps)) {
    return field.refuse(
      'pattern',
      'is too large, with those before it, once its repetitions and the cases of its classes are written out: repeat less',
    );
  }
  const compiled = budget.read(expression);
  return compiled.ok ? compiled.pattern : field.refuse('pattern', notRegularExpression(compiled.problem));
}

/** To be read after the field's path. */
export function notRegularExpression(problem: string): string {
  return `is no regular expression in RE2 syntax (${problem}): correct it`;
}

function parseExternalSecret(spec: FieldReader): SecretContract['externalSecret'] {
  if (!spec.has('externalSecretRef')) return undefined;
  const reference = spec.object('externalSecretRef');
  const name = reference.text('name', OBJECT_NAME) ?? '';
  const pollIntervalMs = reference.duration('pollInterval', { minMs: 30_000, maxMs: 3_600_000 });
  return { name, pollIntervalMs };
}

function parseTargets(spec: FieldReader): string[] {
  const names = new Set<string>();
  for (const target of spec.list('targets', { min: 0, max: MAX_TARGETS })) {
    target.oneOf('kind', ['Deployment']);
    const name = target.text('name', OBJECT_NAME);
    if (name !== undefined && names.has(name)) target.refuse('name', 'is there already: name each target once');
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
