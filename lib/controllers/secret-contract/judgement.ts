import type { ConditionInput } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { conditionFalse, conditionInput, conditionOfAll, conditionTrue, notEvaluated } from '../../kit/conditions.ts';
import { listedNames, unreadCondition } from '../../kit/failure-conditions.ts';
import { faultsMessage, type SpecFault } from '../../kit/parse-spec.ts';
import type { ApiError } from '../../ports/cluster-api.ts';
import { type Access, comparisonAccess, contentAccess, namespaceAccess } from './authorization.ts';
import { hasContentRules, type SecretContract } from './contract.ts';
import type { Finding } from './finding.ts';
import { freshness } from './freshness.ts';
import { evaluateKeys, type KeyEvaluation, type SecretValues } from './key-rules.ts';
import { failureOf, NOT_READ, type Observation } from './observation.ts';
import type { InvalidContract } from './parse-contract.ts';
import type { PassedBoundary } from './passed-boundary.ts';
import { synchronization, targetOf } from './synchronization.ts';

/** Everything that a pass read. */
export interface Observations {
  /** The grants of the Secret's namespace. */
  readonly grants: Observation<readonly KubeObject[]>;
  readonly secret: Observation<ObservedSecret>;
  readonly externalSecret: Observation<KubeObject>;
}

export interface ObservedSecret {
  readonly object: KubeObject;
  readonly values: SecretValues;
}

/** The identity of a Secret that was read, as in the status. */
export interface SecretIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * The conditions and findings of a contract, from everything that the pass read. The same inputs and time give the same
 * result.
 */
export interface Judgement {
  /** In the order of publication, Ready last. */
  readonly conditions: readonly ConditionInput[];
  readonly findings: readonly Finding[];
  readonly secret:
    | { readonly type: 'observed'; readonly identity: SecretIdentity }
    /** The Secret is absent, or must not be read. */
    | { readonly type: 'none' }
    /** A read failed without an answer: the status keeps the last observation. */
    | { readonly type: 'kept' };
  /**
   * Whether the pass found the state of the Secret. It counts as found also when the Secret is absent or must not be
   * read.
   */
  readonly checked: boolean;
  /** Future times, epoch ms, at which the judgement changes without an event. */
  readonly deadlinesMs: readonly number[];
  /** Times that have passed and that decide the judgement now. */
  readonly passed: readonly PassedBoundary[];
  /** Whether the Secret's content may be compared with its earlier content. */
  readonly mayCompare: boolean;
  /** The first read that failed; the pass is retried because of it. */
  readonly failure: ApiError | undefined;
  /** The faults of the specification. With one, only a correction of the specification helps. */
  readonly faults: readonly SpecFault[];
}

/** The limit for a key in a message. */
const MAX_NAME_LENGTH = 60;
const NOTHING_EVALUATED: KeyEvaluation = { findings: [], boundariesMs: [], passed: [] };

/** Judges a valid contract by what the pass read. */
export function judge(contract: SecretContract, seen: Observations, nowMs: number): Judgement {
  const inNamespace = namespaceAccess(contract, seen.grants, nowMs);
  const found = inNamespace.allowed && seen.secret.type === 'found' ? seen.secret.value : undefined;
  const content =
    found !== undefined && hasContentRules(contract)
      ? contentAccess(contract, found.object, seen.grants, nowMs)
      : undefined;
  const authorized = content?.allowed === false ? content : inNamespace;
  const keys =
    found === undefined
      ? NOTHING_EVALUATED
      : evaluateKeys(contract.keys, found.values, { contentRules: content?.allowed === true, nowMs });
  const fresh = found === undefined ? undefined : freshness(contract, found.object, nowMs);

  const comparison = found === undefined ? undefined : mutationAccess(contract, seen.grants, nowMs);

  const conditions: ConditionInput[] = [
    conditionInput('Authorized', authorized.status, authorized.reason, authorized.message),
    secretExists(inNamespace, seen.secret),
    found === undefined ? notReached('KeysValid') : keysValid(keys.findings, content?.allowed === false),
    fresh === undefined ? notReached('Fresh') : conditionInput('Fresh', fresh.status, fresh.reason, fresh.message),
  ];
  const spokenOf = externalSecretOf(contract, seen, nowMs);
  if (contract.externalSecret !== undefined)
    conditions.push(synchronization(spokenOf.externalSecret, isForeign(contract)));
  const failure = [seen.grants, seen.secret, seen.externalSecret].map(failureOf).find((error) => error !== undefined);

  return {
    conditions: [...conditions, ready(conditions)],
    findings: keys.findings,
    secret: secretState(inNamespace, seen),
    checked: inNamespace.allowed ? failureOf(seen.secret) === undefined : inNamespace.status === 'False',
    deadlinesMs: [
      inNamespace.untilMs,
      content?.untilMs,
      comparison?.untilMs,
      spokenOf.untilMs,
      fresh?.deadlineMs,
      ...keys.boundariesMs,
    ].filter((time): time is number => time !== undefined && time > nowMs && Number.isFinite(time)),
    passed: [
      ...passedBoundary('Authorized', authorized.expiredAtMs),
      ...passedBoundary('mutation', comparison?.expiredAtMs),
      ...passedBoundary('Fresh', fresh?.exceededAtMs),
      ...keys.passed,
    ],
    mayCompare: comparison?.allowed === true,
    failure,
    faults: [],
  };
}

/** Judges a contract with an invalid specification by its grants alone, because nothing else was read. */
export function judgeInvalid(contract: InvalidContract, grants: Observations['grants'], nowMs: number): Judgement {
  const access = namespaceAccess(contract, grants, nowMs);
  const conditions: ConditionInput[] = [
    conditionInput('Authorized', access.status, access.reason, access.message),
    notReached('SecretExists'),
    conditionFalse('KeysValid', 'InvalidRule', faultsMessage(contract.faults)),
    notReached('Fresh'),
  ];
  if (contract.hasExternalSecret) conditions.push(synchronization(NOT_READ));
  return {
    conditions: [...conditions, ready(conditions)],
    findings: contract.findings,
    secret: { type: 'none' },
    checked: access.status !== 'Unknown',
    deadlinesMs: Number.isFinite(access.untilMs) ? [access.untilMs] : [],
    passed: passedBoundary('Authorized', access.expiredAtMs),
    mayCompare: false,
    failure: failureOf(grants),
    faults: contract.faults,
  };
}

function isForeign(contract: SecretContract): boolean {
  return contract.secret.namespace !== contract.namespace;
}

/** An ExternalSecret of another namespace whose target is not granted to the contract counts as absent. */
function externalSecretOf(
  contract: SecretContract,
  { externalSecret, grants }: Observations,
  nowMs: number,
): { readonly externalSecret: Observations['externalSecret']; readonly untilMs: number } {
  const whole = { externalSecret, untilMs: Number.POSITIVE_INFINITY };
  if (externalSecret.type !== 'found' || !isForeign(contract)) return whole;
  const target = { namespace: contract.secret.namespace, name: targetOf(externalSecret.value) };
  const { allowed, untilMs } = namespaceAccess({ ...contract, secret: target }, grants, nowMs);
  return allowed ? { externalSecret, untilMs } : { ...whole, externalSecret: { type: 'absent' } };
}

function mutationAccess(contract: SecretContract, grants: Observations['grants'], nowMs: number): Access | undefined {
  return contract.mutation === 'Annotate' ? comparisonAccess(contract, grants, nowMs) : undefined;
}

function passedBoundary(of: string, atMs: number | undefined): PassedBoundary[] {
  return atMs === undefined ? [] : [{ of, atMs }];
}

function secretExists(access: Access, secret: Observation<ObservedSecret>): ConditionInput {
  const type = 'SecretExists';
  if (!access.allowed) return notReached(type);
  switch (secret.type) {
    case 'found':
      return conditionTrue(type, 'SecretFound', 'The Secret exists.');
    case 'absent':
      return conditionFalse(type, 'SecretNotFound', 'The Secret does not exist: create it.');
    case 'denied':
    case 'failed':
      return unreadCondition(type, 'Secret', secret, 'the Secret');
    case 'kindMissing':
      return unreadCondition(type, 'Secret', { ...secret, type: 'failed' }, 'the Secret');
    case 'notRead':
      return notReached(type);
  }
}

function keysValid(findings: readonly Finding[], contentRulesLeftOut: boolean): ConditionInput {
  const missing = findings.filter(({ reason }) => reason === 'KeyMissing');
  const violated = findings.filter(({ reason }) => reason !== 'KeyMissing');
  const scope = contentRulesLeftOut ? ' Rules that reveal content were not evaluated.' : '';
  if (findings.length === 0) {
    return conditionTrue('KeysValid', 'RulesSatisfied', `Every key satisfies its rules.${scope}`);
  }
  const parts: string[] = [];
  if (missing.length > 0) parts.push(`Absent: ${listed(missing.map(({ key }) => key))}.`);
  if (violated.length > 0) parts.push(`Violated: ${listed(violated.map(({ key, rule }) => `${rule} of ${key}`))}.`);
  const reason = missing.length > 0 ? 'KeyMissing' : 'RuleViolated';
  return conditionFalse('KeysValid', reason, `${parts.join(' ')}${scope}`);
}

/** The first names, each cut so that the message stays within its limit. */
function listed(names: readonly string[]): string {
  return listedNames([...names].sort(), MAX_NAME_LENGTH);
}

function notReached(type: string): ConditionInput {
  return notEvaluated(type, 'Not evaluated: see the conditions before it.');
}

function ready(conditions: readonly ConditionInput[]): ConditionInput {
  const message = 'The Secret satisfies the contract.';
  return conditionOfAll(conditions, { type: 'Ready', reason: 'AllSatisfied', message });
}

function secretState(access: Access, seen: Observations): Judgement['secret'] {
  if (!access.allowed) return { type: access.reason === 'GrantReadFailed' ? 'kept' : 'none' };
  switch (seen.secret.type) {
    case 'found':
      return { type: 'observed', identity: identityOf(seen.secret.value.object) };
    case 'failed':
    case 'kindMissing':
      return { type: 'kept' };
    case 'absent':
    case 'denied':
    case 'notRead':
      return { type: 'none' };
  }
}

function identityOf({ metadata }: KubeObject): SecretIdentity {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return { name, namespace, uid, resourceVersion };
}
