import type { FieldFault, Refusal } from '../../ports/cluster-api.ts';

/** An admission webhook may deny with any code. */
const WEBHOOK = /^admission webhook "([a-zA-Z0-9.-]{1,253})" denied the request/;
/** A validating policy denies with the code of its `reason`. */
const POLICY = /^ValidatingAdmissionPolicy '([a-zA-Z0-9.-]{1,253})' (with binding '[^']*' )?denied request/;
const POD_SECURITY = /^violates PodSecurity "/;
/** Several errors of one object are in brackets. */
const LIMIT_RANGE =
  /^\[?((maximum|minimum) \S+ usage per (Container|Pod|PersistentVolumeClaim) is |\S+ max limit to request ratio per )/;
const QUOTA =
  /^((exceeded|failed|status unknown for) quota: |insufficient quota to |quota usage is negative |unable to get previous usage )/;
/** Kubernetes 1.37 answers this refusal with code 500, and without the prefix FORBIDDEN. */
const BARE_QUOTA = /^insufficient quota to match these scopes: /;
const AUTHORIZATION = /^User "/;
const TERMINATION = /^unable to create new content in namespace [-a-z0-9]+ because it is being terminated$/;
/** The resource and its group, then the name of the object. */
const FORBIDDEN = /^[a-z0-9.-]+( "[^"]*")? is forbidden: /;
const INVALID = /^[A-Za-z][A-Za-z0-9.-]*( "[^"]*")? is invalid:/;
const FIELD = /^[A-Za-z][A-Za-z0-9_$-]*([.][A-Za-z0-9_$-]+|\[[^\]]*\])*$/;
const CAUSE_REASON = /^[A-Za-z]{1,40}$/;
const MAX_FAULTS = 16;
const MAX_FIELD_LENGTH = 120;

/**
 * Finds what refused a request, from the beginning of the server's message and the causes of its Status. The
 * result contains only a policy's name, field paths and the types of errors, because the rest may contain values.
 * @param causes `details.causes` of the Status, as the server sent it.
 * @returns undefined for a message in another form
 */
export function refusalOf(code: number, message: string, causes?: unknown): Refusal | undefined {
  const webhook = WEBHOOK.exec(message);
  if (webhook !== null) return { by: 'admission', policy: webhook[1] };
  if (BARE_QUOTA.test(message)) return { by: 'quota' };
  if (code === 422 && INVALID.test(message)) return { by: 'validation', faults: faultsOf(causes) };
  const head = FORBIDDEN.exec(message)?.[0];
  return head === undefined ? undefined : forbiddenBy(code, message.slice(head.length));
}

/** Finds what forbids a request, from the reason after the object's name in the message. */
function forbiddenBy(code: number, why: string): Refusal | undefined {
  const policy = POLICY.exec(why);
  if (policy !== null) return { by: 'admission', policy: policy[1] };
  if (code !== 403 && code !== 422 && code !== 400) return undefined;
  if (QUOTA.test(why)) return { by: 'quota' };
  if (AUTHORIZATION.test(why)) return { by: 'authorization' };
  if (TERMINATION.test(why)) return { by: 'termination' };
  if (LIMIT_RANGE.test(why)) return { by: 'admission', policy: 'LimitRange' };
  return { by: 'admission', policy: POD_SECURITY.test(why) ? 'PodSecurity' : undefined };
}

function faultsOf(causes: unknown): FieldFault[] {
  if (!Array.isArray(causes)) return [];
  return causes.slice(0, MAX_FAULTS).flatMap((cause: unknown) => {
    const { field, reason } = (typeof cause === 'object' && cause !== null ? cause : {}) as Record<string, unknown>;
    if (typeof field !== 'string' || !FIELD.test(field)) return [];
    const isReason = typeof reason === 'string' && CAUSE_REASON.test(reason);
    return [{ field: withoutKeys(field).slice(0, MAX_FIELD_LENGTH), reason: isReason ? reason : '' }];
  });
}

/** Removes the keys of maps and sets, because a key may be a user's value. Only list indices stay. */
function withoutKeys(field: string): string {
  return field.replaceAll(/\[(?!\d+\])[^\]]*\]/g, '[...]');
}
