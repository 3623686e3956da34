import type { ConditionFinding } from '../../core/conditions.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { cutToCodePoints } from '../../core/text.ts';
import type { ApiError } from '../../ports/cluster-api.ts';
import { type Access, contentAccess, namespaceAccess } from './authorization.ts';
import { hasContentRules, type SecretContract } from './contract.ts';
import type { SpecFault } from './field-reader.ts';
import type { Finding } from './finding.ts';
import { freshness } from './freshness.ts';
import { evaluateKeys, type KeyEvaluation, type SecretValues } from './key-rules.ts';
import { failureOf, NOT_READ, type Observation } from './observation.ts';
import type { InvalidContract } from './parse-contract.ts';
import { synchronization } from './synchronization.ts';

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

/** The identity of a Secret as it was read, as the status holds it. */
export interface SecretIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What follows from a contract and what was read: pure, and the same for the same inputs and time. */
export interface Judgement {
  /** In the order of publication, Ready last. */
  readonly conditions: readonly ConditionFinding[];
  readonly findings: readonly Finding[];
  readonly secret:
    | { readonly type: 'observed'; readonly identity: SecretIdentity }
    /** Absent, or not to be read. */
    | { readonly type: 'none' }
    /** A read failed without an answer: what was last observed stays. */
    | { readonly type: 'kept' };
  /** Whether the pass came to know the Secret's state, its absence or its being out of bounds included. */
  readonly checked: boolean;
  /** Times ahead, epoch ms, at which the judgement changes without any event. */
  readonly deadlinesMs: readonly number[];
  /** Conditions (by type) and findings that are as they are because such a time has passed. */
  readonly passed: { readonly conditions: readonly string[]; readonly findings: readonly Finding[] };
  /** The first read that failed: the pass is to be tried again. */
  readonly failure: ApiError | undefined;
  /** Of the specification; not empty means that only its correction helps. */
  readonly faults: readonly SpecFault[];
}

const NOTHING_EVALUATED: KeyEvaluation = { findings: [], boundariesMs: [], expired: [] };

/** Judges a valid contract by what was read. */
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

  const conditions: ConditionFinding[] = [
    { type: 'Authorized', status: authorized.status, reason: authorized.reason, message: authorized.message },
    secretExists(inNamespace, seen.secret),
    found === undefined ? notEvaluated('KeysValid') : keysValid(keys.findings, content?.allowed === false),
    fresh === undefined
      ? notEvaluated('Fresh')
      : { type: 'Fresh', status: fresh.status, reason: fresh.reason, message: fresh.message },
  ];
  if (contract.externalSecret !== undefined) conditions.push(synchronization(seen.externalSecret));
  const failure = [seen.grants, seen.secret, seen.externalSecret].map(failureOf).find((error) => error !== undefined);

  return {
    conditions: [...conditions, ready(conditions)],
    findings: keys.findings,
    secret: secretState(inNamespace, seen),
    checked: inNamespace.allowed ? !('error' in seen.secret) : inNamespace.status === 'False',
    deadlinesMs: [inNamespace.untilMs, content?.untilMs, fresh?.deadlineMs, ...keys.boundariesMs].filter(
      (time): time is number => time !== undefined && time > nowMs && Number.isFinite(time),
    ),
    passed: {
      conditions: [
        ...(authorized.expired ? ['Authorized'] : []),
        ...(fresh?.reason === 'MaxAgeExceeded' ? ['Fresh'] : []),
      ],
      findings: keys.expired,
    },
    failure,
    faults: [],
  };
}

/** Judges a contract whose specification is at fault: its authorization still holds or ends, nothing else is read. */
export function judgeInvalid(contract: InvalidContract, grants: Observations['grants'], nowMs: number): Judgement {
  const access = namespaceAccess(contract, grants, nowMs);
  const conditions: ConditionFinding[] = [
    { type: 'Authorized', status: access.status, reason: access.reason, message: access.message },
    notEvaluated('SecretExists'),
    { type: 'KeysValid', status: 'False', reason: 'InvalidRule', message: faultsMessage(contract.faults) },
    notEvaluated('Fresh'),
  ];
  if (contract.hasExternalSecret) conditions.push(synchronization(NOT_READ));
  return {
    conditions: [...conditions, ready(conditions)],
    findings: contract.findings,
    secret: { type: 'none' },
    checked: access.status !== 'Unknown',
    deadlinesMs: Number.isFinite(access.untilMs) ? [access.untilMs] : [],
    passed: { conditions: access.expired ? ['Authorized'] : [], findings: [] },
    failure: failureOf(grants),
    faults: contract.faults,
  };
}

const SHOWN_FAULTS = 3;

/** Names the fields at fault, the first few of them. */
export function faultsMessage(faults: readonly SpecFault[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${path} ${message}`);
  const more = faults.length - shown.length;
  return `The specification is invalid: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function secretExists(access: Access, secret: Observation<ObservedSecret>): ConditionFinding {
  const finding = (status: ConditionFinding['status'], reason: string, message: string): ConditionFinding => ({
    type: 'SecretExists',
    status,
    reason,
    message,
  });
  if (!access.allowed) return notEvaluated('SecretExists');
  switch (secret.type) {
    case 'found':
      return finding('True', 'SecretFound', 'The Secret exists.');
    case 'absent':
      return finding('False', 'SecretNotFound', 'The Secret does not exist: create it.');
    case 'denied':
      return finding(
        'Unknown',
        'SecretAccessDenied',
        'Reading the Secret is forbidden to evenkeel: permit it by RBAC.',
      );
    case 'kindMissing':
    case 'failed':
      return finding('Unknown', 'SecretReadFailed', 'The Secret could not be read; it is tried again.');
    case 'notRead':
      return notEvaluated('SecretExists');
  }
}

function keysValid(findings: readonly Finding[], contentRulesLeftOut: boolean): ConditionFinding {
  const missing = findings.filter(({ reason }) => reason === 'KeyMissing');
  const violated = findings.filter(({ reason }) => reason !== 'KeyMissing');
  const scope = contentRulesLeftOut ? ' Rules that reveal content were not evaluated.' : '';
  const condition = (status: ConditionFinding['status'], reason: string, message: string): ConditionFinding => ({
    type: 'KeysValid',
    status,
    reason,
    message: `${message}${scope}`,
  });
  if (findings.length === 0) return condition('True', 'RulesSatisfied', 'Every key satisfies its rules.');
  const parts: string[] = [];
  if (missing.length > 0) parts.push(`Absent: ${listed(missing.map(({ key }) => key))}.`);
  if (violated.length > 0) parts.push(`Violated: ${listed(violated.map(({ key, rule }) => `${rule} of ${key}`))}.`);
  return condition('False', missing.length > 0 ? 'KeyMissing' : 'RuleViolated', parts.join(' '));
}

/** The first few, each cut to what keeps a message within its limit. */
function listed(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, 3);
  const more = names.length - shown.length;
  const text = shown.map((name) => (name.length > 60 ? `${cutToCodePoints(name, 57)}...` : name)).join(', ');
  return more > 0 ? `${text} and ${more} more` : text;
}

function notEvaluated(type: string): ConditionFinding {
  const message = 'Not evaluated: see the conditions before it.';
  return { type, status: 'Unknown', reason: 'NotEvaluated', message };
}

/** The reason of the first False, else of the first Unknown. */
function ready(conditions: readonly ConditionFinding[]): ConditionFinding {
  const decisive =
    conditions.find(({ status }) => status === 'False') ?? conditions.find(({ status }) => status === 'Unknown');
  if (decisive === undefined) {
    return { type: 'Ready', status: 'True', reason: 'AllSatisfied', message: 'The Secret satisfies the contract.' };
  }
  return { type: 'Ready', status: decisive.status, reason: decisive.reason, message: decisive.message };
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
