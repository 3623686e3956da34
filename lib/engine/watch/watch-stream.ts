import { type InstallationScope, MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Registry, WatchedKind } from '../registry.ts';

/** One list and watch: a kind, in all namespaces or in one. */
export interface WatchStream {
  /** Names its checkpoint: the kind, or `kind@namespace`. */
  readonly id: string;
  readonly kind: WatchedKind;
  /** '' for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** What the server leaves out already. */
  readonly labelSelector?: string;
}

/**
 * Computes the streams. A deployment limited to namespaces watches every namespaced kind only in those namespaces,
 * for whatever reason it is watched, because its Roles reach no further. Two kinds of exceptions exist: kinds that some pass
 * lists over all namespaces, and kinds of a controller that declares that it reaches all namespaces. Cluster-scoped kinds
 * have one stream.
 */
export function watchStreams(registry: Registry, scope: InstallationScope): WatchStream[] {
  const everywhere = new Set(
    registry.controllers
      .filter((controller) => controller.reachesAllNamespaces === true)
      .flatMap((controller) => [...controller.owns, ...controller.reads.map(({ type }) => type)].map(kindId)),
  );
  return registry.watchedKinds().flatMap((kind) => {
    const labelSelector = selectorOf(kind, scope);
    const stream = { kind, ...(labelSelector === undefined ? {} : { labelSelector }) };
    const isLimited = kind.type.namespaced && !kind.listedEverywhere && !everywhere.has(kind.id);
    if (scope.namespaces === undefined || !isLimited) return [{ ...stream, id: kind.id, namespace: '' }];
    return [...new Set(scope.namespaces)]
      .sort()
      .map((namespace) => ({ ...stream, id: `${kind.id}@${namespace}`, namespace }));
  });
}

/**
 * A selector may leave out only objects that nobody needs. A kind that passes read is needed whether its objects are selected
 * or not.
 */
function selectorOf(kind: WatchedKind, scope: InstallationScope): string | undefined {
  if (kind.labelled) return `${MANAGED_BY_LABEL}=${MANAGED_BY_VALUE}`;
  return kind.primary && !kind.read && !kind.owned ? scope.labelSelector : undefined;
}
