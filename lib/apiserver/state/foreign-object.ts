import { type JsonObject, objectAt, stringAt } from '../json.ts';
import type { ServerState } from './server-state.ts';
import { objectKey, StoredObject } from './stored-object.ts';

/**
 * Converts an object that another cluster returned to the form of the store. The object keeps its version.
 * @throws Error that names the object and shows none of its content.
 */
export function foreignObject(
  { kinds, store }: Pick<ServerState, 'kinds' | 'store'>,
  object: JsonObject,
): { readonly collection: string; readonly stored: StoredObject } {
  const metadata = objectAt(object, 'metadata');
  const key = objectKey(stringAt(metadata, 'namespace'), stringAt(metadata, 'name'));
  const kind = `${stringAt(object, 'kind')} of ${stringAt(object, 'apiVersion')}`;
  const found = kinds.byKind(stringAt(object, 'apiVersion'), stringAt(object, 'kind'));
  if (found === undefined) throw new Error(`${kind} is not served, so that ${key} cannot be put in`);
  const revision = Number(stringAt(metadata, 'resourceVersion'));
  if (!Number.isSafeInteger(revision) || revision <= 0 || revision > store.revision) {
    throw new Error(`the resourceVersion of ${kind} ${key} is no number that can be kept`);
  }
  const { type, version } = found;
  const inStorage = version.toStorage === undefined ? object : version.toStorage(object);
  const whole = { ...inStorage, apiVersion: type.storageVersion.apiVersion };
  return { collection: type.collection, stored: new StoredObject(key, revision, whole, undefined) };
}
