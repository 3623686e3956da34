import type { KubeObject } from '../../core/kube-object.ts';
import { type SpecFault, specFaults, withoutNulls } from '../../kit/parse-spec.ts';
import { listAt, valueAt } from '../../kit/value-at.ts';
import type { SecretContract } from './contract.ts';
import {
  type ContractSpec,
  contractFields,
  contractSpec,
  keyFields,
  keyName,
  namespaceName,
  objectName,
} from './contract-schema.ts';
import type { Finding } from './finding.ts';
import { type FieldIssue, judgeAcross, nameIn, type PatternReader, type RulesAcross } from './rules-across.ts';
import { compilePattern } from './value-pattern.ts';

/** A contract with an invalid specification that admission did not refuse: the fields that could be read. */
export interface InvalidContract {
  readonly namespace: string;
  readonly name: string;
  /** The namespace is undefined when the name is not valid for a namespace. */
  readonly secret: { readonly namespace: string | undefined; readonly name: string };
  readonly hasExternalSecret: boolean;
  /** Not empty. */
  readonly faults: readonly SpecFault[];
  /** Findings for the rules of keys that are invalid. */
  readonly findings: readonly Finding[];
}

export type ParsedContract =
  | { readonly valid: true; readonly contract: SecretContract }
  | { readonly valid: false; readonly contract: InvalidContract };

/**
 * Parses a contract from the API server; never throws. The rules are those of the CRD's schema.
 * @param readPattern by default it compiles a pattern at once.
 */
export function parseContract(object: KubeObject, readPattern: PatternReader = compilePattern): ParsedContract {
  const spec = withoutNulls(object.spec);
  const parsed = contractSpec.safeParse(spec);
  const across = judgeAcross(spec, readPattern);
  if (parsed.success && across.issues.length === 0) {
    return { valid: true, contract: contractOf(object, parsed.data, across.patterns) };
  }
  const issues = inOrder([...(parsed.error?.issues ?? []), ...across.issues]);
  return { valid: false, contract: invalidContract(object, spec, issues) };
}

function contractOf({ metadata }: KubeObject, spec: ContractSpec, patterns: RulesAcross['patterns']): SecretContract {
  const { name, namespace = '', uid } = metadata;
  const { secretRef, keys, maxAge, ageSource, externalSecretRef, targets, mutation } = spec;
  return {
    namespace,
    name,
    uid,
    secret: { namespace: secretRef.namespace ?? namespace, name: secretRef.name },
    keys: keys.map(({ name, optional, nonEmpty, minLength, maxLength, format }, index) => {
      return { name, optional, nonEmpty, minLength, maxLength, pattern: patterns[index], format };
    }),
    maxAgeMs: maxAge,
    ageSource,
    externalSecret: externalSecretRef && {
      name: externalSecretRef.name,
      pollIntervalMs: externalSecretRef.pollInterval,
    },
    targets: targets.map(({ name }) => name),
    mutation,
  };
}

function invalidContract({ metadata }: KubeObject, spec: unknown, issues: readonly FieldIssue[]): InvalidContract {
  const { name, namespace = '' } = metadata;
  const secretNamespace = valueAt(spec, 'secretRef', 'namespace');
  return {
    namespace,
    name,
    secret: {
      namespace: secretNamespace === undefined ? namespace : namespaceName.safeParse(secretNamespace).data,
      name: nameIn(valueAt(spec, 'secretRef'), objectName) ?? '',
    },
    hasExternalSecret: valueAt(spec, 'externalSecretRef') !== undefined,
    faults: specFaults(issues),
    findings: issues.flatMap((issue) => findingOf(issue, spec) ?? []),
  };
}

/** The finding for a key that has a name and an invalid rule. */
function findingOf({ path: [list, index, rule] }: FieldIssue, spec: unknown): Finding | undefined {
  if (list !== 'keys' || typeof index !== 'number' || typeof rule !== 'string' || rule === 'name') return undefined;
  const key = nameIn(listAt(spec, 'keys')[index], keyName);
  return key === undefined ? undefined : { key, rule, reason: 'InvalidRule' };
}

const FIELDS = Object.keys(contractFields);
const KEY_FIELDS = Object.keys(keyFields);

/** In the order of the fields in a specification, independent of the rule that reports them. */
function inOrder(issues: readonly FieldIssue[]): FieldIssue[] {
  const placeOf = ({ path: [field, index, rule] }: FieldIssue) => [
    FIELDS.indexOf(String(field)),
    // An entry of a wrong type is reported before the faults inside entries.
    typeof index === 'number' && rule !== undefined ? index : -1,
    KEY_FIELDS.indexOf(String(rule)),
  ];
  return issues.toSorted((left, right) => {
    const [from, to] = [placeOf(left), placeOf(right)];
    return from.map((place, at) => place - (to[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
}
