import type { JsonValue } from '../../core/kube-object.ts';
import type { PatchBody } from '../../ports/cluster-api.ts';
import { isRecord } from './status-body.ts';

/**
 * Whether a patch names the resourceVersion that it applies to, so that the server takes it at most once: having taken
 * it, the version is another. (A patch that changes nothing keeps the version, and may well be taken twice.)
 * Server-side apply must name the UID too: with a version alone it creates an object that is absent.
 */
export function isConditional(body: PatchBody): boolean {
  if (body.type === 'json') return body.patch.some(namesVersion);
  const metadata: unknown = isRecord(body.patch) ? body.patch.metadata : undefined;
  if (!isRecord(metadata) || !isText(metadata.resourceVersion)) return false;
  return body.type === 'merge' || isText(metadata.uid);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** A version that is put in place is compared by the server as well as one that is tested: it answers Conflict. */
function namesVersion(operation: JsonValue): boolean {
  if (!isRecord(operation) || operation.path !== '/metadata/resourceVersion') return false;
  return operation.op === 'test' || (operation.op === 'replace' && isText(operation.value));
}
