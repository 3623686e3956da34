import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { compareElements, type PathElement } from './path-element.ts';

/**
 * A set of fields in the form of `managedFields` (FieldsV1): an object of path elements. An empty object is a member.
 * `.` marks a field that is a member itself and has fields below it. A set never changes after its creation, so that
 * operations can share parts of it.
 */
export type FieldSet = JsonObject;

export const EMPTY: FieldSet = Object.freeze({});
const SELF = '.';
const MEMBER: FieldSet = EMPTY;

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

function below(set: FieldSet, element: string): FieldSet | undefined {
  const value = set[element];
  return isObject(value) ? value : undefined;
}

/**
 * Whether a field itself is in the set, and not only fields below it.
 * @param field the entry of the set under the field's element.
 */
function isMember(field: FieldSet | undefined): boolean {
  return field !== undefined && (isEmpty(field) || Object.hasOwn(field, SELF));
}

/** The entry of a set for a field; undefined when neither the field nor a field below it is a member. */
function fieldOf(member: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmpty(children)) return member ? MEMBER : undefined;
  return member ? { [SELF]: {}, ...children } : children;
}

/** The field with its children; the field itself becomes a member. */
export function asMember(field: FieldSet | undefined): FieldSet {
  if (field === undefined || isMember(field)) return field ?? MEMBER;
  return { [SELF]: {}, ...field };
}

/** The set of the fields below an element. */
export function childSet(set: FieldSet, element: PathElement): FieldSet {
  return withoutSelf(below(set, element) ?? EMPTY);
}

export function hasElement(set: FieldSet, element: PathElement): boolean {
  return isMember(below(set, element));
}

function withoutSelf(field: FieldSet): FieldSet {
  if (!Object.hasOwn(field, SELF)) return field;
  const { [SELF]: _self, ...children } = field;
  return children;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left)) return right;
  if (isEmpty(right)) return left;
  const result: FieldSet = { ...left };
  for (const element in right) {
    if (element === SELF) continue;
    const [mine, theirs] = [below(left, element), below(right, element)];
    if (theirs === undefined) continue;
    if (mine === undefined) {
      result[element] = theirs;
    } else {
      const children = union(withoutSelf(mine), withoutSelf(theirs));
      result[element] = fieldOf(isMember(mine) || isMember(theirs), children) ?? MEMBER;
    }
  }
  return result;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const element in right) {
    if (element === SELF) continue;
    const [mine, theirs] = [below(left, element), below(right, element)];
    if (mine === undefined || theirs === undefined) continue;
    const children = intersection(withoutSelf(mine), withoutSelf(theirs));
    const field = fieldOf(isMember(mine) && isMember(theirs), children);
    if (field !== undefined) result[element] = field;
  }
  return result;
}

/** The members of `left` that are not members of `right`. Fields below a member of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  let result = left;
  for (const element in right) {
    if (element === SELF) continue;
    const [mine, theirs] = [below(left, element), below(right, element)];
    if (mine === undefined || theirs === undefined) continue;
    const children = difference(withoutSelf(mine), withoutSelf(theirs));
    const field = fieldOf(isMember(mine) && !isMember(theirs), children);
    if (result === left) result = { ...left };
    if (field === undefined) delete result[element];
    else result[element] = field;
  }
  return result;
}

/** The set without some top-level members and the fields below them. */
export function withoutMembers(set: FieldSet, names: readonly string[]): FieldSet {
  if (!names.some((name) => Object.hasOwn(set, `f:${name}`))) return set;
  const result = { ...set };
  for (const name of names) delete result[`f:${name}`];
  return result;
}

/** The paths of all members; a field comes before the fields below it. */
export function membersOf(set: FieldSet, prefix: readonly PathElement[] = []): readonly (readonly PathElement[])[] {
  return Object.keys(set)
    .filter((element) => element !== SELF)
    .sort(compareElements)
    .flatMap((element) => {
      const field = below(set, element);
      const path = [...prefix, element];
      const deeper = membersOf(field ?? EMPTY, path);
      return isMember(field) ? [path, ...deeper] : deeper;
    });
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let field: FieldSet | undefined = set;
  for (const element of path) field = field === undefined ? undefined : below(field, element);
  return path.length > 0 && isMember(field);
}

/** The set with its elements in FieldsV1's order. */
export function ordered(set: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const element of Object.keys(set).sort(compareElements)) result[element] = ordered(below(set, element) ?? EMPTY);
  return result;
}

/** Whether a value from a client has the form of a set. */
export function isFieldSet(value: JsonValue | undefined): value is FieldSet {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([element, field]) => (element === SELF || /^[fkvi]:/.test(element)) && isFieldSet(field),
  );
}

/** Collects paths into a set. */
export class FieldSetBuilder {
  readonly #root: FieldSet = {};
  /** Fields that are in the set only because a field below them is. */
  readonly #passed = new Set<FieldSet>();

  add(path: readonly PathElement[]): void {
    let field = this.#root;
    path.forEach((element, index) => {
      let next = below(field, element);
      if (next === undefined) {
        next = {};
        this.#passed.add(next);
        field[element] = next;
      }
      if (index === path.length - 1) {
        if (!isEmpty(next) && !Object.hasOwn(next, SELF)) next[SELF] = {};
        this.#passed.delete(next);
      } else if (!this.#passed.has(next) && !Object.hasOwn(next, SELF)) {
        // A member without `.` has no fields below it yet. A check for emptiness would need time for each field.
        next[SELF] = {};
      }
      field = next;
    });
  }

  build(): FieldSet {
    return this.#root;
  }
}
