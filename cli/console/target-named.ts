import { kindId } from '../../lib/core/resource-type.ts';
import type { Inspection } from '../inspection/inspection.ts';
import type { TargetName } from '../inspection/target-name.ts';
import { UsageError } from '../usage-error.ts';

/** Reads an object from a request; its kind is given by id. @throws UsageError */
export function targetNamed(
  { kinds }: Inspection,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): TargetName {
  const type = kinds.find((known) => kindId(known.type) === kind)?.type;
  if (type === undefined) throw new UsageError('no such kind is reconciled here.');
  // Any other text is not a name, and could lead to another path of the API server.
  const isName = (text: string) =>
    text !== '' && text.length <= 253 && !/[/%\p{Cc}]/u.test(text) && !/^\.{1,2}$/.test(text);
  if (!isName(name) || (type.namespaced ? !isName(namespace) : namespace !== ''))
    throw new UsageError('the request names no object: a namespace or a name is missing or cannot be one.');
  return { type, namespace, name };
}
