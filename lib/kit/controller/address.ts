import { EvenkeelError } from '../../core/errors.ts';
import type { KubeObject, ObjectName } from '../../core/kube-object.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { NameOrAddress } from './kind-context.ts';

export type AddressedObject = ObjectName;

/**
 * The full address of an object. A plain name is in the namespace of the reconciled object. @throws EvenkeelError
 * NO_NAMESPACE
 */
export function addressOf(type: ResourceType, name: NameOrAddress, { metadata }: KubeObject): AddressedObject {
  if (typeof name !== 'string') return name;
  if (!type.namespaced) return { namespace: '', name };
  if (metadata.namespace !== undefined) return { namespace: metadata.namespace, name };
  const what = `${kindId(type)} ${name}: the reconciled object is in no namespace`;
  throw new EvenkeelError('NO_NAMESPACE', `${what}; give the address as { namespace, name }`);
}
