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
export { apiVersion, type KindId, kindId, type ResourceType } from './core/resource-type.ts';
export { Registry } from './engine/registry.ts';
export * from './kit/built-in/core-kinds.ts';
export * from './kit/built-in/policy-kinds.ts';
export * from './kit/built-in/workload-kinds.ts';
export type { ControllerDefinition } from './kit/controller/controller-definition.ts';
export type { DeclaredContext } from './kit/controller/declared-context.ts';
export { defineController } from './kit/controller/define-controller.ts';
export { ExternalError } from './kit/controller/external-error.ts';
export type { KindContext, NameOrAddress } from './kit/controller/kind-context.ts';
export { type KindOutcome, type KindResult, type Progressing, progressing } from './kit/controller/kind-result.ts';
export {
  defineKind,
  type Kind,
  type KindColumn,
  type KindDefinition,
  type KindValidation,
  type KindVersion,
} from './kit/kind/define-kind.ts';
export type { EngineStatus, KindObject } from './kit/kind/kind-object.ts';
export type { DesiredOf, ObjectOf, TypedKind } from './kit/kind/typed-kind.ts';
export { dnsLabel, dnsName, duration, intOrString, labelValue, port, quantity } from './kit/schema/fields.ts';
export { ApiError, type ApiErrorReason, isApiError } from './ports/cluster-api.ts';
