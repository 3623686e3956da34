import type { FieldFault, Refusal } from '../../ports/cluster-api.ts';

const AUTHORIZATION = /^[a-z.]+( "[^"]*")? is forbidden: User "/;
const QUOTA = /^[a-z.]+( "[^"]*")? is forbidden: exceeded quota: /;
const TERMINATION =
  /^[a-z.]+( "[^"]*")? is forbidden: unable to create new content in namespace [-a-z0-9]+ because it is being terminated$/;
const FORBIDDEN = /^[a-z.]+( "[^"]*")? is forbidden: /;
const POLICY =
  /admission webhook "([a-zA-Z0-9.-]{1,253})" denied |ValidatingAdmissionPolicy '([a-zA-Z0-9.-]{1,253})' with binding |violates (PodSecurity) "/;
const INVALID = /^[A-Za-z][A-Za-z.]*( "[^"]*")? is invalid:/;
const FIELD = /^[A-Za-z][A-Za-z0-9_$-]*([.][A-Za-z0-9_$-]+|\[[^\]]*\])*$/;
const CAUSE_REASON = /^[A-Za-z]{1,40}$/;
const MAX_FAULTS = 16;
const MAX_FIELD_LENGTH = 120;

/**
 * What refused a request, read from the beginning of the server's message and from the causes of its Status (R-3.11). Nothing
 * of them but a policy's name, field paths and the kinds of faults leaves this function, since the rest may quote values.
 * @param causes `details.causes` of the Status, as it was sent.
 * @returns undefined for a message in another form
 */
export function refusalOf(code: number, message: string, causes?: unknown): Refusal | undefined {
  if (code !== 403 && code !== 422 && code !== 400) return undefined;
  if (QUOTA.test(message)) return { by: 'quota' };
  if (AUTHORIZATION.test(message)) return { by: 'authorization' };
  if (TERMINATION.test(message)) return { by: 'termination' };
  if (code === 422 && INVALID.test(message)) return { by: 'validation', faults: faultsOf(causes) };
  const named = POLICY.exec(message);
  const policy = named?.slice(1).find((name) => name !== undefined);
  return named !== null || FORBIDDEN.test(message) ? { by: 'admission', policy } : undefined;
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

/** The key of a map or a set may be what a user wrote as a value: only places in lists are kept. */
function withoutKeys(field: string): string {
  return field.replaceAll(/\[(?!\d+\])[^\]]*\]/g, '[...]');
}
