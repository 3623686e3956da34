import type { JsonValue } from '../../core/kube-object.ts';
import type { PatchBody } from '../../ports/cluster-api.ts';
import { isRecord } from './status-body.ts';

/**
 * Whether a patch names the resourceVersion that it applies to. The server then applies it at most once, because the
 * version is different after that. (A patch that changes nothing keeps the version, and may be applied twice without
 * harm.) A server-side apply must name the UID too: with only a version it creates an absent object.
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

/**
 * A patch that sets the version is checked like one that tests it: the server answers Conflict when the version
 * differs.
 */
function namesVersion(operation: JsonValue): boolean {
  if (!isRecord(operation) || operation.path !== '/metadata/resourceVersion') return false;
  return operation.op === 'test' || (operation.op === 'replace' && isText(operation.value));
}
