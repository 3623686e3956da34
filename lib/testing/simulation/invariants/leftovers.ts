import type { Edge, PollState, TargetState } from '../../../ports/state-store.ts';

export interface TableContents {
  readonly targets: readonly TargetState[];
  readonly edges: readonly Edge[];
  readonly polls: readonly PollState[];
}

/**
 * Content of the table that nothing needs: items of targets that are gone, edges that no item names, polls without a
 * reader.
 */
export interface Leftovers {
  readonly items: readonly TargetState[];
  readonly edges: readonly Edge[];
  readonly polls: readonly PollState[];
}

/** @param exists whether an object of this kind and UID is in the cluster. */
export function leftovers(table: TableContents, exists: (kind: string, uid: string) => boolean): Leftovers {
  const { targets, edges, polls } = table;
  const used = new Set(targets.flatMap(({ target, edges: keys }) => keys.map((key) => `${target.uid} ${key}`)));
  return {
    items: targets.filter(({ target }) => !exists(target.kind, target.uid)),
    edges: edges.filter(({ key, reader }) => {
      // When there is an edge for the list, an edge for one of its objects starts no additional pass.
      const [kind = '', namespace = ''] = key.split('/');
      const keys = [key, `${kind}/${namespace}/*`, `${kind}//*`];
      return !keys.some((covering) => used.has(`${reader.uid} ${covering}`));
    }),
    polls: polls.filter(({ poll }) => {
      const key = `${poll.kind}/${poll.namespace}/${poll.name}`;
      return !edges.some((edge) => edge.key === key);
    }),
  };
}

export function describeLeftovers({ items, edges, polls }: Leftovers): string[] {
  return [
    ...items.map(({ target }) => `the item of ${target.kind} ${target.namespace}/${target.name}, which is gone`),
    ...edges.map(
      ({ key, reader }) =>
        `the edge ${key} of ${reader.kind} ${reader.namespace}/${reader.name}, which does not read it`,
    ),
    ...polls.map(({ poll }) => `the poll of ${poll.kind} ${poll.namespace}/${poll.name}, which nobody reads`),
  ];
}
