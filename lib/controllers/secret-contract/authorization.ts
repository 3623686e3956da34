import type { ConditionStatus } from '../../core/conditions.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { type Grant, matchingGrants } from './grant.ts';
import type { Observation } from './observation.ts';

/** On a Secret, `"true"` permits rules whose answer reveals content. */
const ALLOW_CONTENT_RULES_LABEL = 'evenkeel.dev/allow-content-rules';

/** Whether something is allowed, the reason and message of the Authorized condition, and how long the answer holds. */
export interface Access {
  readonly allowed: boolean;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** The expiry that ends the access, epoch ms; Infinity when there is none. */
  readonly untilMs: number;
  /** The expiry that has passed and caused the refusal, epoch ms. */
  readonly expiredAtMs: number | undefined;
}

/** A contract's request for a Secret. The namespace is undefined when its name is not valid. */
export interface AccessRequest {
  readonly namespace: string;
  readonly name: string;
  readonly secret: { readonly namespace: string | undefined; readonly name: string };
}

/** Whether the contract may read the Secret at all. `grants` are those of the Secret's namespace. */
export function namespaceAccess(
  request: AccessRequest,
  grants: Observation<readonly KubeObject[]>,
  nowMs: number,
): Access {
  const { secret } = request;
  if (secret.namespace === request.namespace) {
    return granted('SameNamespace', "The Secret is in the contract's namespace.");
  }
  if (secret.namespace === undefined) {
    return refused('GrantMissing', 'spec.secretRef.namespace is no name of a namespace: correct it.');
  }
  const unknown = unreadGrants(grants, secret.namespace);
  if (unknown !== undefined) return unknown;
  const matching = matchingOf(grants, request);
  const grant = longestLived(matching, nowMs);
  if (grant !== undefined) {
    return {
      ...granted('GrantFound', `SecretContractGrant ${grant.name} in namespace ${secret.namespace} permits it.`),
      untilMs: grant.expiresAtMs,
    };
  }
  if (matching.length > 0) {
    const message = `Every SecretContractGrant in namespace ${secret.namespace} that named this contract and the Secret has expired: extend one.`;
    return { ...refused('GrantExpired', message), expiredAtMs: latestExpiryMs(matching) };
  }
  return refused(
    'GrantMissing',
    `No SecretContractGrant in namespace ${secret.namespace} names this contract and the Secret: create one there.`,
  );
}

/** Whether rules whose answer reveals content may be evaluated for a Secret that was read. */
export function contentAccess(
  request: AccessRequest,
  secret: KubeObject,
  grants: Observation<readonly KubeObject[]>,
  nowMs: number,
): Access {
  if (permitsByLabel(secret)) return granted('ContentRulesPermitted', 'The Secret permits content rules.');
  return grantedContent(request, grants, nowMs);
}

/**
 * Whether the Secret's content may be compared with the content before, so that a change rolls out workloads. In another
 * namespace this needs a grant with allowContentRules. The label is not enough: it permits rules only.
 */
export function comparisonAccess(
  request: AccessRequest,
  grants: Observation<readonly KubeObject[]>,
  nowMs: number,
): Access {
  const isOwn = request.secret.namespace === request.namespace;
  return isOwn
    ? granted('SameNamespace', 'The Secret is in the same namespace.')
    : grantedContent(request, grants, nowMs);
}

function grantedContent(request: AccessRequest, grants: Observation<readonly KubeObject[]>, nowMs: number): Access {
  const namespace = request.secret.namespace ?? '';
  const unknown = unreadGrants(grants, namespace);
  if (unknown !== undefined) return unknown;
  const permitting = matchingOf(grants, request).filter(({ allowContentRules }) => allowContentRules);
  const grant = longestLived(permitting, nowMs);
  if (grant !== undefined) {
    return { ...granted('ContentRulesPermitted', 'A grant permits content rules.'), untilMs: grant.expiresAtMs };
  }
  const message = `pattern, minLength and maxLength were not evaluated, since their answer reveals content. Label the Secret ${ALLOW_CONTENT_RULES_LABEL}: "true", create a SecretContractGrant with allowContentRules in namespace ${namespace}, or remove these rules.`;
  return { ...refused('ContentRulesNotPermitted', message), expiredAtMs: latestExpiryMs(permitting) };
}

export function permitsByLabel(secret: KubeObject): boolean {
  return secret.metadata.labels?.[ALLOW_CONTENT_RULES_LABEL] === 'true';
}

function matchingOf(grants: Observation<readonly KubeObject[]>, request: AccessRequest): Grant[] {
  const contract: ObjectName = { namespace: request.namespace, name: request.name };
  return matchingGrants(grants.type === 'found' ? grants.value : [], contract, request.secret.name);
}

function unreadGrants(grants: Observation<unknown>, namespace: string): Access | undefined {
  switch (grants.type) {
    case 'found':
    case 'absent':
      return undefined;
    case 'denied':
      return undecided(
        'GrantAccessDenied',
        `Listing SecretContractGrants in namespace ${namespace} is forbidden to evenkeel: permit it by RBAC.`,
      );
    case 'notRead':
    case 'kindMissing':
    case 'failed':
      return undecided(
        'GrantReadFailed',
        `The SecretContractGrants in namespace ${namespace} could not be read; it is tried again.`,
      );
  }
}

/** The valid grant that expires last: until then the end of another grant changes nothing. */
function longestLived(grants: readonly Grant[], nowMs: number): Grant | undefined {
  const valid = grants.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  const untilMs = latestExpiryMs(valid);
  return valid.find(({ expiresAtMs }) => expiresAtMs === untilMs);
}

function latestExpiryMs(grants: readonly Grant[]): number | undefined {
  return grants.length === 0 ? undefined : Math.max(...grants.map(({ expiresAtMs }) => expiresAtMs));
}

function granted(reason: string, message: string): Access {
  return { allowed: true, status: 'True', reason, message, untilMs: Number.POSITIVE_INFINITY, expiredAtMs: undefined };
}

function refused(reason: string, message: string): Access {
  return {
    allowed: false,
    status: 'False',
    reason,
    message,
    untilMs: Number.POSITIVE_INFINITY,
    expiredAtMs: undefined,
  };
}

function undecided(reason: string, message: string): Access {
  return {
    allowed: false,
    status: 'Unknown',
    reason,
    message,
    untilMs: Number.POSITIVE_INFINITY,
    expiredAtMs: undefined,
  };
}
