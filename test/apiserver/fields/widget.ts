import { applyObject, updateManagedFields } from '../../../lib/apiserver/fields/fields.ts';
import { type JsonObject, objectAt, objectsAt } from '../../../lib/apiserver/json.ts';
import { compileSchema } from '../../../lib/apiserver/schema/schema.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };

/** A kind with one field for each way of merging. */
export const widgetSchema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: integer,
        image: text,
        nested: { type: 'object', properties: { a: text, b: text } },
        labels: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
        args: { type: 'array', items: text },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: { port: integer, protocol: { ...text, default: 'TCP' }, name: text },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' }, phase: text } },
  },
};

export const widgetNode = compileSchema(widgetSchema).node;

export const apiVersion = 'example.com/v1';

export function widget(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: 'Widget', metadata: { name: 'w', ...metadata }, spec };
}

export interface Step {
  readonly manager: string;
  readonly time?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly custom?: boolean;
  readonly resetFields?: readonly string[];
}

export const t1 = '2026-01-01T00:00:01Z';
export const t2 = '2026-01-01T00:00:02Z';

/** The object after an apply without conflicts. */
export function applied(live: JsonObject | undefined, configuration: JsonObject, step: Step): JsonObject {
  const result = tryApply(live, configuration, step);
  if (!result.ok) throw new Error(`conflicts: ${result.conflicts.map((each) => each.path).join(' ')}`);
  return result.object;
}

export function tryApply(
  live: JsonObject | undefined,
  configuration: JsonObject,
  step: Step,
): ReturnType<typeof applyObject> {
  return applyObject({
    live,
    applied: configuration,
    node: widgetNode,
    apiVersion,
    time: t1,
    force: false,
    custom: true,
    ...step,
  });
}

export function updated(before: JsonObject | undefined, after: JsonObject, step: Step): JsonObject {
  return updateManagedFields({ before, after, node: widgetNode, apiVersion, time: t1, ...step });
}

export function entriesOf(object: JsonObject): readonly JsonObject[] {
  return objectsAt(objectAt(object, 'metadata'), 'managedFields');
}

/** What each manager owns, by `manager/operation`, with the subresource appended where there is one. */
export function owners(object: JsonObject): Record<string, JsonObject> {
  const entries = entriesOf(object).map((entry) => {
    const subresource = entry.subresource === undefined ? '' : `/${entry.subresource}`;
    return [`${entry.manager}/${entry.operation}${subresource}`, objectAt(entry, 'fieldsV1') ?? {}];
  });
  return Object.fromEntries(entries);
}

export function times(object: JsonObject): Record<string, unknown> {
  return Object.fromEntries(entriesOf(object).map((entry) => [entry.manager, entry.time]));
}
