import { type JsonObject, numberAt, objectAt, stringAt } from '../../json.ts';
import { ageCell, column, wide } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { commonIssues, creationIssues, updateIssues } from './event-issues.ts';

const columns = [
  column('Last Seen', lastSeen),
  column('Type', (event) => stringAt(event, 'type')),
  column('Reason', (event) => stringAt(event, 'reason')),
  column('Object', objectText),
  wide('Subobject', (event) => stringAt(objectAt(event, 'involvedObject'), 'fieldPath')),
  wide('Source', sourceText),
  column('Message', (event) => stringAt(event, 'message').trim()),
  wide('First Seen', firstSeen),
  wide('Count', (event) => numberAt(objectAt(event, 'series'), 'count') ?? (numberAt(event, 'count') || 1)),
  wide('Name', (event) => stringAt(objectAt(event, 'metadata'), 'name'), { format: 'name' }),
];

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** The names that differ between the two views of an event: in events.k8s.io, and in the core group. */
const renamed: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** The names that both views have. */
const sharedFields = ['reason', 'type', 'eventTime', 'series', 'action', 'related', 'reportingInstance'];

/** Events as the core group shows them, which is the form in which they are stored. */
export const coreEventType = builtIn({
  resource: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  keepsEmpty: true,
  columns,
  fields: [...sharedFields, ...renamed.map(([, coreName]) => coreName)],
  strategy: {
    prepareForCreate: completeCore,
    prepareForUpdate: completeCore,
    validate: (event) => commonIssues(event, 'reportingComponent'),
    validateUpdate: (event) => commonIssues(event, 'reportingComponent'),
  },
  selectableFields: new Map<string, readonly string[]>([
    ...referenceFields.map((field): [string, string[]] => [`involvedObject.${field}`, ['involvedObject', field]]),
    ['reason', ['reason']],
    ['reportingComponent', ['reportingComponent']],
    ['source', ['source', 'component']],
    ['type', ['type']],
  ]),
});

/** The same events as events.k8s.io shows them. */
export const eventType = builtIn({
  group: 'events.k8s.io',
  resource: 'events',
  kind: 'Event',
  shortNames: ['ev'],
  keepsEmpty: true,
  collection: 'events',
  columns: columns.map((each) => ({ ...each, cell: (event, nowMs) => each.cell(toCore(event), nowMs) })),
  selectableFields: new Map<string, readonly string[]>([
    ...referenceFields.map((field): [string, string[]] => [`regarding.${field}`, ['regarding', field]]),
    ['reason', ['reason']],
    ['reportingController', ['reportingController']],
    ['type', ['type']],
  ]),
  fields: [...sharedFields, ...renamed.map(([name]) => name)],
  conversion: { fromStorage: fromCore, toStorage: toCore },
  strategy: {
    prepareForCreate: complete,
    prepareForUpdate: complete,
    validate: (event) => [...commonIssues(toCore(event), 'reportingController'), ...creationIssues(toCore(event))],
    validateUpdate: (event, old) => [
      ...commonIssues(toCore(event), 'reportingController'),
      ...updateIssues(toCore(event), toCore(old)),
    ],
  },
});

function fromCore(event: JsonObject): JsonObject {
  const view: JsonObject = { ...event, apiVersion: 'events.k8s.io/v1' };
  for (const [name, coreName] of renamed) rename(view, coreName, name);
  for (const field of ['reportingController', 'reportingInstance']) if (view[field] === '') delete view[field];
  return view;
}

function toCore(event: JsonObject): JsonObject {
  const stored: JsonObject = { ...event, apiVersion: 'v1' };
  for (const [name, coreName] of renamed) rename(stored, name, coreName);
  return stored;
}

function rename(object: JsonObject, from: string, to: string): void {
  const value = object[from];
  if (value === undefined) return;
  delete object[from];
  object[to] = value;
}

function complete(event: JsonObject): void {
  const core = toCore(event);
  completeCore(core);
  Object.assign(event, fromCore(core));
}

/** Fields that the real server writes even when they are empty. */
function completeCore(event: JsonObject): void {
  for (const field of ['eventTime', 'firstTimestamp', 'lastTimestamp']) event[field] ??= null;
  event.source ??= {};
  for (const field of ['reportingComponent', 'reportingInstance']) event[field] ??= '';
}

function firstSeen(event: JsonObject, nowMs: number): string {
  return ageCell(stringAt(event, 'firstTimestamp') || stringAt(event, 'eventTime'), nowMs);
}

function lastSeen(event: JsonObject, nowMs: number): string {
  const observed = stringAt(objectAt(event, 'series'), 'lastObservedTime') || stringAt(event, 'lastTimestamp');
  return observed === '' ? firstSeen(event, nowMs) : ageCell(observed, nowMs);
}

function objectText(event: JsonObject): string {
  const involved = objectAt(event, 'involvedObject');
  const kind = stringAt(involved, 'kind').toLowerCase();
  const name = stringAt(involved, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText(event: JsonObject): string {
  const source = objectAt(event, 'source');
  const component = stringAt(source, 'component') || stringAt(event, 'reportingComponent');
  const instance = stringAt(source, 'host') || stringAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}
