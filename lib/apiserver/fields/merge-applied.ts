import { define, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { SchemaNode } from '../schema/node.ts';
import { childNode, isLeaf, itemNode } from './owned-fields.ts';
import { itemElement, type PathElement } from './path-element.ts';

/** Merges an applied configuration into the present object. Neither argument is changed. */
export function mergeApplied(live: JsonObject, applied: JsonObject, node: SchemaNode): JsonObject {
  return mergeMaps(live, applied, node);
}

function mergeValues(
  live: JsonValue | undefined,
  applied: JsonValue | undefined,
  node: SchemaNode,
): JsonValue | undefined {
  if (applied === undefined) return live;
  if (live === undefined || isLeaf(applied, node) || isLeaf(live, node)) return applied;
  if (Array.isArray(live) && (Array.isArray(applied) || applied === null)) {
    return live.length === 0 ? applied : mergeLists(live, applied ?? [], node);
  }
  if (isObject(live) && (isObject(applied) || applied === null)) {
    return Object.keys(live).length === 0 ? applied : mergeMaps(live, applied ?? {}, node);
  }
  return applied;
}

function mergeMaps(live: JsonObject, applied: JsonObject, node: SchemaNode): JsonObject {
  const merged = { ...live };
  for (const name of Object.keys(applied)) {
    const value = mergeValues(Object.hasOwn(live, name) ? live[name] : undefined, applied[name], childNode(node, name));
    if (value !== undefined) define(merged, name, value);
  }
  return merged;
}

/**
 * The items of both lists. They have the order of the applied list and, as far as possible, the order of the present
 * list: a present item stays before the applied item that followed it.
 */
function mergeLists(live: readonly JsonValue[], applied: readonly JsonValue[], node: SchemaNode): JsonValue[] {
  const liveItems = keyed(live, node);
  const appliedItems = keyed(applied, node);
  const liveByElement = new Map(liveItems.map((each) => [each.element, each.item]));
  const appliedElements = new Set(appliedItems.map((each) => each.element));
  const shared = appliedItems.filter((each) => liveByElement.has(each.element)).map((each) => each.element);

  const merged: JsonValue[] = [];
  const taken = new Set<PathElement>();
  let [l, a, next] = [0, 0, 0];
  while (l < liveItems.length || a < appliedItems.length) {
    const mine = liveItems[l];
    const theirs = appliedItems[a];
    if (mine !== undefined && !appliedElements.has(mine.element)) {
      merged.push(mine.item);
      l += 1;
    } else if (
      mine !== undefined &&
      (taken.has(mine.element) ||
        (theirs !== undefined && mine.element !== theirs.element && mine.element !== shared[next]))
    ) {
      // This item has its place in the applied order: it is added there later, or it was added already.
      l += 1;
    } else if (theirs !== undefined) {
      taken.add(theirs.element);
      const value = mergeValues(liveByElement.get(theirs.element), theirs.item, itemNode(node));
      merged.push(value ?? theirs.item);
      if (theirs.element === shared[next]) next += 1;
      a += 1;
    } else {
      l += 1;
    }
  }
  return merged;
}

interface Keyed {
  readonly element: PathElement;
  readonly item: JsonValue;
}

function keyed(list: readonly JsonValue[], node: SchemaNode): readonly Keyed[] {
  return list.flatMap((item) => {
    const element = itemElement(item, node);
    return typeof element === 'string' ? [{ element, item }] : [];
  });
}
