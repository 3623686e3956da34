/**
 * What an author of a controller outside this repository builds on: define a kind, say what it owns and reads, and write
 * a reconcile function. docs/writing-a-controller.md shows one; `evenkeel/testing` runs it.
 */

export {
  type Condition,
  type ConditionFinding,
  type ConditionInput,
  type ConditionStatus,
  MAX_CONDITION_MESSAGE_LENGTH,
  mergeConditions,
  readConditions,
} from './core/conditions.ts';
export type { Controller, FinalizeResult, ReadKind, ReadMode, ReconcileResult } from './core/controller.ts';
export { formatDuration, parseDuration } from './core/duration.ts';
export { type ErrorData, EvenkeelError, LeaseLostError, TerminalError } from './core/errors.ts';
export { MANAGED_BY_LABEL, MANAGED_BY_VALUE, PAUSED_ANNOTATION } from './core/installation.ts';
export {
  controllerOwner,
  type DesiredObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ObjectMeta,
  type ObjectName,
  type OwnerReference,
} from './core/kube-object.ts';
export { checkAt, earliestCheck, type Outcome, retry, settled, terminal } from './core/outcome.ts';
export { isOwnedBy, OWNER_UID_ANNOTATION } from './core/ownership.ts';
export type { DurableValues, Propagation, ReconcileContext } from './core/reconcile-context.ts';
export { reconcilerVersion } from './core/reconciler-version.ts';
export {
  apiVersion,
  ConfigMaps,
  Deployments,
  type KindId,
  kindId,
  Namespaces,
  type ResourceType,
  Secrets,
} from './core/resource-type.ts';
export { Registry } from './engine/registry.ts';
export { ApiError, type ApiErrorReason, isApiError } from './ports/cluster-api.ts';
