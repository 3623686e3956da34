import { createHmac } from 'node:crypto';
import type { KubeObject } from '../../../core/kube-object.ts';

/** On the pod template. A change of the value rolls out the Deployment. */
export const CREDENTIALS_ANNOTATION = 'hypershell.evenkeel.dev/credentials-version';
/**
 * An annotation on the Deployment, for Deployments whose template annotation has an older form: the content of the
 * credentials that the Pods use.
 */
export const CONTENT_ANNOTATION = 'hypershell.evenkeel.dev/credentials-content';

const FORM = '2';
/** Form, key id, content, as `hashCredentials` writes them. */
const CONTENT_FORM = /^2\.(?<key>[-\w]{8})\.[-\w]{22}$/;
/** The value of the first release: the UID of the Secret and its resourceVersion. */
const OLDER_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9]+$/;
const DIGEST_BYTES = 16;
const KEY_ID_BYTES = 6;

/** The annotations of a Deployment that show which credentials its Pods use. */
export interface CredentialsMarks {
  readonly template?: string | undefined;
  readonly content?: string | undefined;
}

/**
 * The mark of the content of the Secret that the Pods mount. It does not use the resourceVersion of the Secret, because
 * an annotation changes that. It is keyed by the seed of the Gateway, because everybody who may read
 * Deployments sees it.
 */
export function hashCredentials(seed: string, { data }: KubeObject): string {
  const entries = Object.entries((data ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    // The same value has several forms in base64, so it is encoded again.
    Buffer.from(String(value), 'base64').toString('base64'),
  ]);
  const text = JSON.stringify(['credentials', entries.sort(([left = ''], [right = '']) => (left < right ? -1 : 1))]);
  return [FORM, keyed(seed, 'key-id', KEY_ID_BYTES), keyed(seed, text, DIGEST_BYTES)].join('.');
}

/**
 * Pure: the marks that a Deployment must have.
 *
 * A mark that shows other content replaces the Pods. A mark of the first release, or one of a lost seed, cannot be
 * compared with the content. Then the template stays, and the mark of the content is written on the Deployment. Any
 * other value on the template was changed by somebody, and is restored.
 * @param present undefined when there is no Deployment.
 */
export function wantedMarks(wanted: string, present: CredentialsMarks | undefined): CredentialsMarks {
  const { template, content } = present ?? {};
  if (template === undefined || !showsNothing(template, wanted)) return { template: wanted };
  const differs = content !== undefined && keyOf(content) === keyOf(wanted) && content !== wanted;
  return differs ? { template: wanted } : { template, content: wanted };
}

/** The marks that a Deployment has; undefined without one. */
export function presentMarks(deployment: KubeObject | undefined): CredentialsMarks | undefined {
  if (deployment === undefined) return undefined;
  const { spec } = deployment as { spec?: { template?: { metadata?: { annotations?: Record<string, unknown> } } } };
  const template = spec?.template?.metadata?.annotations?.[CREDENTIALS_ANNOTATION];
  const content = deployment.metadata.annotations?.[CONTENT_ANNOTATION];
  return { ...(typeof template === 'string' && { template }), ...(content !== undefined && { content }) };
}

function showsNothing(template: string, wanted: string): boolean {
  const key = keyOf(template);
  return key === undefined ? OLDER_FORM.test(template) : key !== keyOf(wanted);
}

/** The id of the key of a mark; undefined when the mark does not have this form. */
function keyOf(mark: string): string | undefined {
  return CONTENT_FORM.exec(mark)?.groups?.key;
}

function keyed(seed: string, text: string, bytes: number): string {
  return createHmac('sha256', seed).update(text).digest().subarray(0, bytes).toString('base64url');
}
