import type { FieldIssue } from '../../api-error.ts';
import { immutableField, invalidValue, requiredValue } from '../../field-issue.ts';
import { deepEqual, type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import { qualifiedNameFaults } from '../../metadata/names.ts';

/** The limits are in bytes, although the messages say characters. */
const limits = new Map([
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
  ['message', 1024],
]);

/**
 * The rules for events of both groups, on the core form (k8s.io/kubernetes/pkg/apis/core/validation/events.go). An
 * event without eventTime counts as one of the old form, which has fewer rules.
 */
export function commonIssues(event: JsonObject, controllerField: string): FieldIssue[] {
  const namespace = stringAt(objectAt(event, 'metadata'), 'namespace');
  const involved = stringAt(objectAt(event, 'involvedObject'), 'namespace');
  if (stringAt(event, 'eventTime') === '') {
    return involved === namespace || (involved === '' && namespace === 'default') ? [] : [foreign(involved)];
  }
  const issues: FieldIssue[] = [];
  if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') issues.push(foreign(involved));
  const controller = stringAt(event, 'reportingComponent');
  if (controller === '') issues.push(requiredValue(controllerField));
  for (const fault of qualifiedNameFaults(controller)) issues.push(invalidValue(controllerField, controller, fault));
  for (const [field, limit] of limits) {
    const text = stringAt(event, field);
    if (text === '' && field !== 'message') issues.push(requiredValue(field));
    if (Buffer.byteLength(text) > limit) issues.push(invalidValue(field, '', `can have at most ${limit} characters`));
  }
  return issues;
}

function foreign(namespace: string): FieldIssue {
  return invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace');
}

/** The additional rules of events.k8s.io/v1 for a new event, on the core form. */
export function creationIssues(event: JsonObject): FieldIssue[] {
  const type = stringAt(event, 'type');
  const source = objectAt(event, 'source');
  const unset = [
    ...['firstTimestamp', 'lastTimestamp'].filter((field) => stringAt(event, field) !== ''),
    ...((numberAt(event, 'count') ?? 0) === 0 ? [] : ['count']),
    ...(stringAt(source, 'component') === '' && stringAt(source, 'host') === '' ? [] : ['source']),
  ];
  return [
    ...seriesIssues(event),
    ...(stringAt(event, 'eventTime') === '' ? [requiredValue('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...unset.map((field) => invalidValue(field, '', 'needs to be unset')),
  ];
}

const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** The fields that an update through events.k8s.io/v1 may not change: all except the series and metadata. */
export function updateIssues(event: JsonObject, old: JsonObject): FieldIssue[] {
  const changed = fixed.filter((field) => !deepEqual(event[field], old[field]));
  return [
    ...(deepEqual(event.series, old.series) ? [] : seriesIssues(event)),
    ...changed.map((field) =>
      immutableField(field === 'reportingComponent' ? 'reportingController' : field, event[field]),
    ),
  ];
}

function seriesIssues(event: JsonObject): FieldIssue[] {
  const series = objectAt(event, 'series');
  if (series === undefined) return [];
  return [
    ...((numberAt(series, 'count') ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(stringAt(series, 'lastObservedTime') === '' ? [requiredValue('series.lastObservedTime')] : []),
  ];
}
