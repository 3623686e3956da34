import type { DesiredObject, JsonObject, KubeObject } from '../core/kube-object.ts';
import type { ReconcileContext } from '../core/reconcile-context.ts';
import type { ResourceType } from '../core/resource-type.ts';

/**
 * Removes the elements that others added to lists which must contain only our elements. This happens before the object
 * is applied, because server-side apply keeps elements of others.
 * @param wanted its `wholeLists` name the lists, which are fields of `spec`.
 * @returns the object after that.
 */
export async function clearLists(
  context: ReconcileContext,
  wanted: { readonly type: ResourceType; readonly object: DesiredObject; readonly wholeLists?: readonly string[] },
  observed: KubeObject,
): Promise<KubeObject> {
  const { type, object, wholeLists = [] } = wanted;
  const [present, wished] = [observed.spec, object.spec] as (Record<string, unknown> | undefined)[];
  const lists = wholeLists.filter((field) => {
    const [is, ought] = [present?.[field], wished?.[field]];
    return (
      Array.isArray(is) && Array.isArray(ought) && is.some((element) => !ought.some((own) => includes(element, own)))
    );
  });
  if (lists.length === 0) return observed;
  const spec = Object.fromEntries(lists.map((field) => [field, wished?.[field]]));
  return await context.mergePatch(type, observed, { spec } as JsonObject);
}

function includes(element: unknown, own: unknown): boolean {
  if (typeof element !== 'object' || element === null || typeof own !== 'object' || own === null)
    return element === own;
  return Object.entries(own).every(([key, value]) => (element as Record<string, unknown>)[key] === value);
}
