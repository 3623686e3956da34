import { cutToCodePoints } from '../../core/text.ts';

const MAX_CODE_POINTS = 1_024;

/** The forms of credentials that a text may contain. */
const CREDENTIALS: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  // A JSON Web Token.
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
  // An AWS access key id. The secret key is found by the name of its field.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g,
  // Parts of a presigned request.
  /\bX-Amz-(?:Signature|Security-Token|Credential)=[^&\s]+/gi,
  // User and password in a URL.
  /(?<=[a-z][a-z0-9+.-]*:\/\/)[^/\s:@]+:[^/\s@]+@/gi,
];

const CREDENTIAL_FIELD =
  /^(?:.*[-_.])?(?:authorization|password|passwd|token|api[-_]?key|credentials?|private[-_]?key)$/i;

/**
 * Makes a text safe to log: it removes credentials of a known form and control characters (a terminal obeys them), and
 * keeps at most 1,024 code points. This is only the last protection for: callers must not log a secret at all.
 */
export function safeText(text: string): string {
  const whole = text.toWellFormed();
  const beginning = cutToCodePoints(whole, MAX_CODE_POINTS);
  const bounded = beginning === whole ? whole : `${beginning}...`;
  const withoutCredentials = CREDENTIALS.reduce((kept, credential) => kept.replace(credential, '[redacted]'), bounded);
  return withoutCredentials.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** The value of a log field in a form that is safe to log. */
export function safeField(name: string, value: string | number | boolean): string | number | boolean {
  if (typeof value !== 'string') return value;
  return CREDENTIAL_FIELD.test(name) ? '[redacted]' : safeText(value);
}
