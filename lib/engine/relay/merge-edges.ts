import type { Edge } from '../../ports/state-store.ts';
import { type EdgeCursor, isListEdge, positionOf } from '../fanout/edge-cursor.ts';
import type { SeenObject } from '../fanout/seen-object.ts';

export type Match =
  | { readonly type: 'object'; readonly object: SeenObject }
  /** The stored dependency is an object that is in the list. */
  | { readonly type: 'present'; readonly object: SeenObject; readonly edge: Edge }
  /** The stored dependency is an object that is not in the list. */
  | { readonly type: 'absent'; readonly edge: Edge }
  /** The stored dependency is a list. */
  | { readonly type: 'list'; readonly edge: Edge };

/**
 * Walks a list and the stored dependencies (edges) of its kind together, in key order, and holds one page of each
 * . It reads edges only after the first object came, so after the version of the list was fixed. So a reader
 * that read an object before a change that the list shows has already stored its edge. If the server does not keep the
 * order, edges look absent, and their readers get an event in any case.
 */
export async function* mergeEdges(objects: AsyncIterable<SeenObject>, edges: EdgeCursor): AsyncGenerator<Match> {
  for await (const object of objects) {
    const position = positionOf(object);
    yield { type: 'object', object };
    for (let edge = await edges.takeUpTo(position); edge !== undefined; edge = await edges.takeUpTo(position)) {
      yield matchOf(edge, object);
    }
  }
  for (let edge = await edges.takeUpTo(); edge !== undefined; edge = await edges.takeUpTo()) {
    yield matchOf(edge, undefined);
  }
}

function matchOf(edge: Edge, object: SeenObject | undefined): Match {
  if (isListEdge(edge.key)) return { type: 'list', edge };
  const isPresent = object !== undefined && edge.key === `${object.kind.id}/${positionOf(object)}`;
  return isPresent ? { type: 'present', object, edge } : { type: 'absent', edge };
}
