import type { JsonObject } from '../../apiserver/json.ts';
import { type FieldDifference, fieldDifferences, pathText } from '../../core/field-differences.ts';
import { jsonEqual } from '../../core/json-merge.ts';
import type { ChangeType, PlannedChange, PlannedField, PlannedName } from '../report/plan-report.ts';
import { contentOf, type ObjectChange } from './change-recorder.ts';
import type { SecretValues } from './secret-values.ts';

export const SECRETS = 'secrets';

/**
 * @param showsOwnership whether to report a write that changes only the manager of a field. An installation with its
 * records does not send most of these.
 * @returns one entry for each way in which the object changes; none when no write changes anything.
 */
export function describeChange(change: ObjectChange, secrets: SecretValues, showsOwnership: boolean): PlannedChange[] {
  const { collection: kind, namespace, name, uid, before, after } = change;
  const by = change.by.map(
    (target): PlannedName => ({ kind: target.kind, namespace: target.namespace, name: target.name }),
  );
  const entry = (type: ChangeType, fields: PlannedField[]): PlannedChange => {
    return { change: type, kind, namespace, name, uid, by, fields };
  };
  if (after === undefined) return [entry('deleted', [])];
  const differences = fieldDifferences(contentOf(before), contentOf(after));
  const shown = (part: readonly FieldDifference[]) =>
    part.map((each) => plannedField(kind, each, secrets)).sort(byPath);
  if (before === undefined) return [entry('created', shown(differences))];
  const ofStatus = differences.filter(({ path }) => path[0] === 'status');
  const others = differences.filter(({ path }) => path[0] !== 'status');
  const applied = shown(others);
  if (showsOwnership && differences.length === 0 && !jsonEqual(managers(before), managers(after))) {
    applied.push({ path: 'metadata.managedFields', hidden: 'changed' });
  }
  return [
    ...(applied.length > 0 ? [entry('applied', applied)] : []),
    ...(ofStatus.length > 0 ? [entry('status', shown(ofStatus))] : []),
  ];
}

/** The fields of each manager. The times of the entries do not count as a difference. */
function managers(object: JsonObject): unknown {
  const { managedFields = [] } = (object.metadata ?? {}) as { managedFields?: Record<string, unknown>[] };
  return managedFields.map(({ time: _, ...entry }) => entry);
}

function plannedField(kind: string, { path, before, after }: FieldDifference, secrets: SecretValues): PlannedField {
  const text = secrets.hide(pathText(path));
  // In a Secret, only labels and owner references are known to contain no value.
  const isOfSecret = kind === SECRETS && path[1] !== 'labels' && path[1] !== 'ownerReferences';
  if (isOfSecret || secrets.isIn(before) || secrets.isIn(after)) return { path: text, hidden: 'changed' };
  return {
    path: text,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

function byPath(left: PlannedField, right: PlannedField): number {
  if (left.path === right.path) return 0;
  return left.path < right.path ? -1 : 1;
}
