import { fieldDifferences, pathText } from './field-differences.ts';
import { type ObjectKey, objectKey } from './observation.ts';

/** Everything that a plan writes to one object, including writes that a later write undoes. */
export interface PlannedWrite {
  readonly creates: boolean;
  readonly deletes: boolean;
  /** In the form of `pathText`. */
  readonly paths: ReadonlySet<string>;
}

/** The writes of a plan, by object. */
export type PlannedWrites = ReadonlyMap<ObjectKey, PlannedWrite>;

/** An entry of the list `writes` in a plan's JSON. */
export interface ListedWrite {
  /** The id of the kind, e.g. `deployments.apps`. */
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly creates: boolean;
  readonly deletes: boolean;
  readonly paths: readonly string[];
}

/** The list `writes` of a plan as a map by object. */
export function plannedWrites(listed: readonly ListedWrite[]): PlannedWrites {
  return new Map(
    listed.map(({ kind, paths, ...write }) => [objectKey(kind, write), { ...write, paths: new Set(paths) }]),
  );
}

/** The first of these fields that the plan does not write. A part of a planned field is planned too. */
export function unplannedPath(
  planned: PlannedWrite | undefined,
  paths: readonly (readonly string[])[],
): readonly string[] | undefined {
  return paths.find((path) => !path.some((_, index) => planned?.paths.has(pathText(path.slice(0, index + 1)))));
}

/** The fields that are sent. An empty object does not count: the API server may fill it in. */
export function sentPaths(object: object): (readonly string[])[] {
  const { apiVersion: _, kind: __, ...content } = object as Record<string, unknown>;
  return fieldDifferences({}, content).flatMap(({ path, after }) => (isEmptyObject(after) ? [] : [path]));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/**
 * The fields that a write changes: those that it sends, and those that it removes. Fields that the API server fills in
 * are not a decision of the controller.
 * @param sent undefined if it is not an object, such as a JSON patch: then every change counts.
 */
export function changedPaths(before: object, after: object, sent: object | undefined): (readonly string[])[] {
  const ours = sent === undefined ? undefined : sentPaths(sent);
  return fieldDifferences(before, after).flatMap(({ path, after: value }) => {
    const isOurs = value === undefined || ours === undefined || ours.some((each) => overlaps(each, path));
    return isOurs ? [path] : [];
  });
}

function overlaps(one: readonly string[], other: readonly string[]): boolean {
  const shorter = one.length < other.length ? one : other;
  return shorter.every((step, index) => one[index] === step && other[index] === step);
}

/** A step that cannot be a value that was used as a name. */
const PLAIN_STEP = /^[A-Za-z]+$/;

/** A path for people. A step may be a value, such as a key of a ConfigMap, so only steps of letters are shown. */
export function shownPath(path: readonly string[]): string {
  return pathText(path.map((step) => (step.startsWith('[') ? '[*]' : PLAIN_STEP.test(step) ? step : '*')));
}
