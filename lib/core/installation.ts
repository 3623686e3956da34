/** The limits of an installation. */
export interface InstallationScope {
  /** Only reconciled objects of these namespaces; absent means all. */
  readonly namespaces?: readonly string[];
  /** A Kubernetes label selector that reconciled objects must match; absent means all. */
  readonly labelSelector?: string;
}

/** Every object that evenkeel creates has this label: owned kinds are watched by it. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY_VALUE = 'evenkeel';

/** On a reconciled object: `"true"` stops its reconciliation until the annotation is removed. */
export const PAUSED_ANNOTATION = 'evenkeel.dev/paused';

/** The version of the state's format. Raised only when an older release could not read it. */
export const STATE_FORMAT = 1;
