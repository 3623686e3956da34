import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ContentDigests } from './content-digest.ts';

/** What the contract's item remembers of its rollouts: at most 3 KB for 64 keys and 16 targets. */
export interface RolloutState {
  readonly content: ContentDigests;
  /** Grows with each change of content. */
  readonly revision: number;
  /** By `targetMark`, the Deployment that is under contract and the revision that it runs with. */
  readonly targets: ReadonlyMap<string, RolledTarget>;
}

export interface RolledTarget {
  /** Of the Deployment's UID: one recreated under the same name starts anew. */
  readonly uidMark: string;
  readonly revision: number;
}

/** Removes the state. */
export const NO_ROLLOUT = { content: undefined, revision: undefined, targets: undefined };

/** Undefined before the first observation, or when what is there cannot be read: both start from a new baseline. */
export function readRolloutState(values: DurableValues): RolloutState | undefined {
  const { content, revision, targets } = values;
  if (typeof content !== 'string' || typeof revision !== 'number' || typeof targets !== 'string') return undefined;
  return {
    content: new Map(entries(content).map(([mark = '', digest = '']) => [mark, digest])),
    revision,
    targets: new Map(
      entries(targets).map(([mark = '', uidMark = '', rolled = '']) => [mark, { uidMark, revision: Number(rolled) }]),
    ),
  };
}

export function rolloutValues({ content, revision, targets }: RolloutState): DurableValues {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    content: sorted(content)
      .map(([mark, digest]) => `${mark}:${digest}`)
      .join(','),
    revision,
    targets: sorted(targets)
      .map(([mark, target]) => `${mark}:${target.uidMark}:${target.revision}`)
      .join(','),
  };
}

function entries(text: string): string[][] {
  return text === '' ? [] : text.split(',').map((entry) => entry.split(':'));
}
