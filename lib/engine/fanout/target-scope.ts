import { type InstallationScope, MANAGED_BY_LABEL, MANAGED_BY_VALUE } from '../../core/installation.ts';
import type { ObjectMeta } from '../../core/kube-object.ts';
import { type LabelSelector, parseLabelSelector } from '../../core/label-selector.ts';
import type { WatchedKind } from '../registry.ts';

/** Which objects are targets of this installation. */
export class TargetScope {
  readonly #namespaces: ReadonlySet<string> | undefined;
  readonly #selector: LabelSelector | undefined;

  /** @throws EvenkeelError INVALID_SELECTOR */
  constructor(scope: InstallationScope) {
    this.#namespaces = scope.namespaces === undefined ? undefined : new Set(scope.namespaces);
    this.#selector = scope.labelSelector === undefined ? undefined : parseLabelSelector(scope.labelSelector);
  }

  includesNamespace(namespace: string): boolean {
    return namespace === '' || this.#namespaces === undefined || this.#namespaces.has(namespace);
  }

  /** Whether an object of a reconciled kind is a target, by the same rule as in its pass. */
  includes(
    { onlyManaged }: Pick<WatchedKind, 'onlyManaged'>,
    metadata: Pick<ObjectMeta, 'namespace' | 'labels'>,
  ): boolean {
    if (onlyManaged) return metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY_VALUE;
    return this.includesNamespace(metadata.namespace ?? '') && (this.#selector?.matches(metadata.labels) ?? true);
  }
}
