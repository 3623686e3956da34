import type { ReadKind } from '../../core/controller.ts';
import { MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import { kindId } from '../../core/resource-type.ts';

const OUR_LABEL = `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;

/** Why changes of listed objects would start no pass, and the remedy; undefined when they would start one. */
export function undeclaredList(
  { type, mode, lists = true, listsAllNamespaces = false }: ReadKind,
  options: { readonly namespace: string; readonly labelSelector?: string },
): string | undefined {
  const kind = kindId(type);
  if (!lists) return `lists ${kind}, for which its reads has lists: false: leave that out`;
  if (mode === 'poll') return `lists ${kind} without watching it: declare that in its reads`;
  if (options.namespace === '' && type.namespaced && !listsAllNamespaces)
    return `lists ${kind} over all namespaces: declare that in its reads`;
  if (mode === 'watch-labelled' && !(options.labelSelector ?? '').split(',').includes(OUR_LABEL))
    return `lists ${kind}, of which only those with our label are watched: ask for ${OUR_LABEL}, or declare in its reads that all of them are watched`;
  return undefined;
}
