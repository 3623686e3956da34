import { createHash, createHmac } from 'node:crypto';
import { EvenkeelError } from '../../../core/errors.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import { textAt } from '../../../kit/value-at.ts';
import type { OmpReferences } from '../settings.ts';

/** The content from which a Pod is created, in addition to the names in its specification. */
export interface PodContent {
  readonly spec: JsonObject;
  readonly session: KubeObject;
  readonly claim: KubeObject;
  readonly references: OmpReferences;
  readonly configMap: KubeObject;
  readonly secret: KubeObject;
}

const FORM = '2';
const MINIMUM_KEY_BYTES = 16;
const DIGEST_BYTES = 16;
const KEY_ID_BYTES = 6;
/** The parts of a hash of this form: form, key id, specification, ConfigMap, Secret, claim. */
const PARTS = 6;

/**
 * The value of the hash annotation of a Pod: one digest for each part from which the Pod is created. It depends on
 * content and not on versions, so that an annotation on the Secret replaces no Pod. The digest of the Secret is keyed and
 * bound to the session, because everybody who may read Pods sees it.
 * @throws EvenkeelError DIGEST_KEY when the deployment has no key.
 */
export function hashContent(key: string | Uint8Array, content: PodContent): string {
  if (Buffer.byteLength(key) < MINIMUM_KEY_BYTES) {
    throw new EvenkeelError(
      'DIGEST_KEY',
      `the t4 controllers have no digest key of at least ${MINIMUM_KEY_BYTES} bytes, by which they compare the OMP Secret`,
    );
  }
  const { spec, session, claim, references, configMap, secret } = content;
  const { modelsKey, settingsKey } = references.configMap;
  const documents = [modelsKey, settingsKey].map((name) => [name, textAt(configMap, 'data', name)]);
  const values = references.secret.keys.map((name) => [name, mountedValue(secret, name)]);
  return [
    FORM,
    keyId(key),
    digest(JSON.stringify(spec)),
    digest(JSON.stringify(documents)),
    keyed(key, JSON.stringify(['omp-secret', session.metadata.uid, values]), DIGEST_BYTES),
    digest(claim.metadata.uid),
  ].join('.');
}

/**
 * Whether two hashes show that the content differs. A hash of another form shows nothing. With another key, the Secret part
 * shows nothing.
 */
export function showsOtherContent(hash: string | undefined, wanted: string): 'same' | 'differs' | 'unknown' {
  if (hash === wanted) return 'same';
  const [before, now] = [partsOf(hash), partsOf(wanted)];
  if (before === undefined || now === undefined) return 'unknown';
  const isSameKey = before.key === now.key;
  const differs = before.plain !== now.plain || (isSameKey && before.secret !== now.secret);
  return differs ? 'differs' : 'same';
}

function partsOf(hash: string | undefined): { key: string; plain: string; secret: string } | undefined {
  const parts = hash?.split('.') ?? [];
  const [form, key = '', spec, configMap, secret = '', claim] = parts;
  if (form !== FORM || parts.length !== PARTS) return undefined;
  return { key, plain: [spec, configMap, claim].join('.'), secret };
}

/** Identifies the key and does not reveal it. */
function keyId(key: string | Uint8Array): string {
  return keyed(key, 'key-id', KEY_ID_BYTES);
}

/** The same value has several forms in base64, so it is encoded again. */
function mountedValue(secret: KubeObject, name: string): string | undefined {
  const encoded = textAt(secret, 'data', name);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('base64');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}

function keyed(key: string | Uint8Array, text: string, bytes: number): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, bytes).toString('base64url');
}
