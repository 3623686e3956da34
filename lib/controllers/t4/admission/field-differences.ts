import { jsonEqual } from '../../../core/json-merge.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';

/** A place in an object, in the steps of managedFields: `f:<field>`, or `k:{"name":"<name>"}` for an element of a list. */
export type FieldPath = readonly string[];

/** A field whose value in an object is not the wanted one; undefined when the field is absent. */
export interface FieldDifference {
  readonly path: FieldPath;
  readonly has: unknown;
  readonly wanted: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Lists whose elements the API server identifies by name. Any other list counts as one field. */
const LISTS_BY_NAME: ReadonlySet<string> = new Set(['containers']);

/** The smallest fields that are different in the two. */
export function fieldDifferences(object: KubeObject, wanted: KubeObject): FieldDifference[] {
  return differencesAt(object, wanted, []);
}

function differencesAt(has: unknown, wanted: unknown, path: FieldPath): FieldDifference[] {
  if (jsonEqual(has, wanted)) return [];
  if (isFields(has) && isFields(wanted)) {
    const fields = [...new Set([...Object.keys(has), ...Object.keys(wanted)])];
    return fields.flatMap((field) => differencesAt(has[field], wanted[field], [...path, `f:${field}`]));
  }
  const names = namesIn(has, path);
  if (names === undefined || !jsonEqual(names, namesIn(wanted, path))) return [{ path, has, wanted }];
  return names.flatMap((name) => {
    const step = `k:${JSON.stringify({ name })}`;
    return differencesAt(elementAt(has, step), elementAt(wanted, step), [...path, step]);
  });
}

function namesIn(list: unknown, path: FieldPath): string[] | undefined {
  if (!Array.isArray(list) || !LISTS_BY_NAME.has(path.at(-1)?.slice(2) ?? '')) return undefined;
  return list.map((element: unknown) => String(isFields(element) ? element.name : ''));
}

export function fieldAt(object: unknown, path: FieldPath): unknown {
  return path.reduce(elementAt, object);
}

function elementAt(value: unknown, step: string): unknown {
  if (step.startsWith('f:')) return isFields(value) ? value[step.slice(2)] : undefined;
  return Array.isArray(value) ? value.find((element) => isAt(element, step)) : undefined;
}

function isAt(element: unknown, step: string): boolean {
  return isFields(element) && `k:${JSON.stringify({ name: element.name })}` === step;
}

/** A copy of the object in which one field has the given value, or is absent. */
export function withField(object: KubeObject, path: FieldPath, value: unknown): KubeObject {
  return changed(object, path, value) as KubeObject;
}

function changed(at: unknown, [step, ...rest]: FieldPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(at)) return at.map((element) => (isAt(element, step) ? changed(element, rest, value) : element));
  const { [step.slice(2)]: before, ...others } = (isFields(at) ? at : {}) as JsonObject;
  const after = changed(before, rest, value);
  return after === undefined ? others : { ...others, [step.slice(2)]: after };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
