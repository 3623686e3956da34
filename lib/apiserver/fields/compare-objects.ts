import { deepEqual, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { childNode, isLeaf, itemNode } from './owned-fields.ts';
import { itemElement, memberElement, type PathElement } from './path-element.ts';

/** The differences of two objects. A field is in at most one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects field by field. The structure says how list items are matched. */
export function compareObjects(before: JsonObject, after: JsonObject, node: SchemaNode): Comparison {
  const walk = new Walk();
  walk.compare(before, after, node);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

class Walk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  readonly #path: PathElement[] = [];

  compare(before: JsonValue | undefined, after: JsonValue | undefined, node: SchemaNode): void {
    if (before === after) return;
    if (this.#isLeafPair(before, after, node)) {
      this.#leaf(before, after);
      return;
    }
    if (node.listType !== 'atomic') this.#lists(listOf(before), listOf(after), node);
    if (node.mapType !== 'atomic') this.#maps(mapOf(before), mapOf(after), node);
    // If only one side is a leaf, the field itself has changed, in addition to the fields below it.
    if (bothThere(before, after) && kindOf(before) !== kindOf(after)) this.modified.add(this.#path);
    else if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
  }

  #isLeafPair(before: JsonValue | undefined, after: JsonValue | undefined, node: SchemaNode): boolean {
    const present = [before, after].filter((each) => each !== undefined);
    return present.every((each) => isLeaf(each, node) || isBare(each));
  }

  #leaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
    else if (!deepEqual(before, after)) this.modified.add(this.#path);
  }

  #maps(before: JsonObject, after: JsonObject, node: SchemaNode): void {
    for (const name of Object.keys(before))
      this.#step(memberElement(name), before[name], after[name], childNode(node, name));
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.#step(memberElement(name), undefined, after[name], childNode(node, name));
    }
  }

  #lists(before: readonly JsonValue[], after: readonly JsonValue[], node: SchemaNode): void {
    const [old, next] = [indexed(before, node), indexed(after, node)];
    for (const element of new Set([...old.keys(), ...next.keys()])) {
      const [olds, nexts] = [old.get(element) ?? [], next.get(element) ?? []];
      if (olds.length <= 1 && nexts.length <= 1) {
        this.#step(element, olds[0], nexts[0], itemNode(node));
      } else {
        this.#repeated(element, olds, nexts, node);
      }
    }
  }

  /** Items with the same key count as one. Only an update can create these. */
  #repeated(element: PathElement, olds: readonly JsonValue[], nexts: readonly JsonValue[], node: SchemaNode): void {
    if (olds.length > 1 && nexts.length > 1) {
      if (!deepEqual([...olds], [...nexts])) this.modified.add([...this.#path, element]);
    } else if (olds.length > 1) {
      if (nexts.length > 0) this.#step(element, undefined, nexts[0], itemNode(node));
      this.removed.add([...this.#path, element]);
    } else {
      if (olds.length > 0) this.#step(element, olds[0], undefined, itemNode(node));
      this.added.add([...this.#path, element]);
    }
  }

  #step(element: PathElement, before: JsonValue | undefined, after: JsonValue | undefined, node: SchemaNode): void {
    this.#path.push(element);
    this.compare(before, after, node);
    this.#path.pop();
  }
}

function indexed(list: readonly JsonValue[], node: SchemaNode): Map<PathElement, JsonValue[]> {
  const items = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = itemElement(item, node);
    if (typeof element !== 'string') continue;
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}

function bothThere(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  return before !== undefined && after !== undefined && before !== null && after !== null;
}

function kindOf(value: JsonValue | undefined): string {
  return Array.isArray(value) ? 'list' : isObject(value) ? 'map' : 'scalar';
}

/** An empty list or map, or a null in its place. It has no fields below it that could be compared. */
function isBare(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
