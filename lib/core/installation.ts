/** What an installation is limited to. */
export interface InstallationScope {
  /** Primary objects of these namespaces only; absent means all. */
  readonly namespaces?: readonly string[];
  /** A Kubernetes label selector that primary objects must match; absent means all. */
  readonly labelSelector?: string;
}

/** Every object evenkeel creates carries it: owned kinds are watched by it. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY_VALUE = 'evenkeel';

/** On a primary object: `"true"` stops its reconciliation until it is removed. */
export const PAUSED_ANNOTATION = 'evenkeel.dev/paused';

/** The version that the state's format has; raised only when older code could not read it. */
export const STATE_FORMAT = 1;
