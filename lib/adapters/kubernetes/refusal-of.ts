import type { Refusal } from '../../ports/cluster-api.ts';

const AUTHORIZATION = /^[a-z.]+( "[^"]*")? is forbidden: User "/;
const QUOTA = /^[a-z.]+( "[^"]*")? is forbidden: exceeded quota: /;
const FORBIDDEN = /^[a-z.]+( "[^"]*")? is forbidden: /;
const POLICY =
  /admission webhook "([a-zA-Z0-9.-]{1,253})" denied |ValidatingAdmissionPolicy '([a-zA-Z0-9.-]{1,253})' with binding |violates (PodSecurity) "/;

/**
 * What refused a request, read from the beginning of the server's message (R-3.11). Nothing of the message but a policy's
 * name leaves this function, since it may quote values.
 * @returns undefined for a message in another form
 */
export function refusalOf(code: number, message: string): Refusal | undefined {
  if (code !== 403 && code !== 422 && code !== 400) return undefined;
  if (QUOTA.test(message)) return { by: 'quota' };
  if (AUTHORIZATION.test(message)) return { by: 'authorization' };
  const named = POLICY.exec(message);
  const policy = named?.slice(1).find((name) => name !== undefined);
  return named !== null || FORBIDDEN.test(message) ? { by: 'admission', policy } : undefined;
}
