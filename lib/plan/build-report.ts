import type { ConnectionGuard } from '../adapters/system/connection-guard.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { Target } from '../core/target.ts';
import type { PassReport } from '../engine/pass/pass-report.ts';
import type { LastOutcomeType } from '../ports/target-store.ts';
import type { ChangeRecorder, ObjectChange } from './changes/change-recorder.ts';
import { describeChange, SECRETS } from './changes/describe-change.ts';
import { restartedPods } from './changes/restarted-pods.ts';
import { SecretValues } from './changes/secret-values.ts';
import type { DefinitionEffects } from './definitions/definition-effects.ts';
import type { CopiedObjects } from './fork/copied-objects.ts';
import type { ExternalCalls } from './passes/external-calls.ts';
import { MAX_PASSES, type PassLedger } from './passes/pass-ledger.ts';
import type { PlanError, PlannedChange, PlannedName, PlanReport, RefusedConnection } from './report/plan-report.ts';

export interface ReportParts {
  readonly recorder: ChangeRecorder;
  readonly ledger: PassLedger;
  readonly external: ExternalCalls;
  readonly copies: CopiedObjects;
  readonly server: ApiServer;
  readonly guard: ConnectionGuard<Target>;
  /** The kinds that could not be listed. */
  readonly incomplete: readonly string[];
  /** The effects of the planned CustomResourceDefinitions on stored objects. */
  readonly effects: DefinitionEffects;
  /** Whether the deployment's records of its objects were known to the plan. */
  readonly hasRecords: boolean;
}

/** Outcomes without trouble. */
const FINE: ReadonlySet<LastOutcomeType | ''> = new Set(['settled', 'checkAt', 'paused', 'unmanaged', '']);
/** Outcomes after which the plan of an object is not known. */
const FAILED: ReadonlySet<LastOutcomeType | ''> = new Set([
  'retry',
  'crashing',
  'rateLimited',
  'clusterPaused',
  'clusterThrottled',
  'clusterUnreachable',
]);
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const ORDER: Readonly<Record<PlannedChange['change'], number>> = { deleted: 0, created: 1, applied: 2, status: 3 };

export function buildReport(parts: ReportParts): PlanReport {
  const { recorder, ledger, external, copies, server, guard, hasRecords } = parts;
  // When a definition may not be read, the planned one was copied. Then differences of its objects are not known to be
  // changes.
  const isGuess = ({ collection, name }: ObjectChange) => collection === DEFINITIONS && copies.uncompared.has(name);
  const changes = recorder.changes().filter((change) => !isGuess(change));
  const secrets = secretsOf(server, changes);
  // The status of a pass that ended at an external call reports that call, which only a plan refuses.
  const isPlansOwn = ({ change, uid }: PlannedChange) => change === 'status' && external.isOf({ uid });
  const described = changes.map((change) => ({
    change,
    objects: describeChange(change, secrets, hasRecords && change.collection !== DEFINITIONS).filter(
      (object) => !isPlansOwn(object),
    ),
  }));
  const real = described.filter(({ objects }) => objects.length > 0);
  const objects = real.flatMap((each) => each.objects).sort(byWeight);
  const writers = new Set(real.flatMap(({ change }) => change.by.map(({ uid }) => uid)));
  const reports = [...ledger.last.values()];
  return {
    unchanged: reports.filter(({ target, outcome }) => !writers.has(target.uid) && !FAILED.has(outcome)).length,
    changed: real.length,
    errors: errorsOf(parts, secrets),
    restartedPods: real.reduce((sum, { change }) => sum + restartedPods(change), 0),
    deletedObjects: real.filter(({ change }) => change.after === undefined).length,
    touchedSecrets: real.filter(({ change }) => change.collection === SECRETS).length,
    objects,
    writes: recorder.writes().map((write) => ({ ...write, paths: write.paths.map((path) => secrets.hide(path)) })),
    definitions: parts.effects.definitions,
    uncomparedDefinitions: [...copies.uncompared].sort(),
    externalCalls: external.calls.map(({ target, call }) => ({ by: nameOf(target), call })),
    refusedConnections: connectionsOf(guard, secrets),
    outcomes: reports
      .filter(({ outcome }) => !FINE.has(outcome) && !FAILED.has(outcome))
      .map(({ target, outcome, reason }) => ({ ...nameOf(target), outcome, reason: secrets.hide(reason) })),
  };
}

/** The Secrets that the plan read or wrote, with their values before and after. */
function secretsOf(server: ApiServer, changes: readonly ObjectChange[]): SecretValues {
  const secrets = new SecretValues({ findsWords: true });
  for (const { object } of server.snapshot().objects.get(SECRETS) ?? []) secrets.add(object);
  for (const { collection, before, after } of changes) {
    if (collection !== SECRETS) continue;
    secrets.add(before);
    secrets.add(after);
  }
  return secrets;
}

function errorsOf({ ledger, external, copies, incomplete, effects }: ReportParts, secrets: SecretValues): PlanError[] {
  const unsettled = ledger.unsettled();
  const isUnsettled = ({ target }: PassReport) => unsettled.some(({ uid }) => uid === target.uid);
  const failed = [...ledger.last.values()].filter(
    (report) => FAILED.has(report.outcome) && !external.isOf(report.target) && !isUnsettled(report),
  );
  return [
    ...effects.errors,
    ...incomplete.map((kind) => ({ kind, namespace: '', name: '', error: copies.listError(kind) })),
    ...copies.unreadable.map(({ kind, namespace, name, why }) => ({ kind, namespace, name, error: why })),
    ...failed.map(({ target, reason, message }) => ({
      ...nameOf(target),
      error: secrets.hide(`${reason}: ${message}`),
    })),
    ...unsettled.map((target) => ({
      ...nameOf(target),
      error: `it did not settle: ${MAX_PASSES} passes each asked for another one`,
    })),
  ];
}

/** Each address once for each object, because a failed pass is retried. */
function connectionsOf({ refused }: ConnectionGuard<Target>, secrets: SecretValues): RefusedConnection[] {
  const first = new Map(refused.toReversed().map((each) => [`${each.within?.uid} ${each.to}`, each]));
  return [...first.values()].reverse().map(({ to, stack, within }) => {
    return {
      by: within === undefined ? undefined : nameOf(within),
      to: secrets.hide(to),
      stack: stack.map((line) => secrets.hide(line)),
    };
  });
}

function nameOf(target: Target | undefined): PlannedName {
  const { kind = '', namespace = '', name = '' } = target ?? {};
  return { kind, namespace, name };
}

function byWeight(left: PlannedChange, right: PlannedChange): number {
  const order = ORDER[left.change] - ORDER[right.change];
  if (order !== 0) return order;
  const [one, other] = [left, right].map(({ kind, namespace, name }) => `${kind} ${namespace} ${name}`);
  if (one === other) return 0;
  return (one ?? '') < (other ?? '') ? -1 : 1;
}
