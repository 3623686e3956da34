import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ContentDigests } from './content-digest.ts';

/** What the contract's item remembers of its rollouts: at most 3.3 KB for 64 keys and 16 targets. */
export interface RolloutState {
  /** `targetMark` of the Secret's namespace and name; undefined where the release before wrote the rest. */
  readonly secret?: string;
  readonly content: ContentDigests;
  /** Grows with each change of content. */
  readonly revision: number;
  /** By `targetMark`, the Deployment that is under contract and the revision that it runs with. */
  readonly targets: ReadonlyMap<string, RolledTarget>;
}

export interface RolledTarget {
  /** Of the Deployment's UID: one recreated under the same name starts from the beginning. */
  readonly uidMark: string;
  readonly revision: number;
  /**
   * The counter of a patch whose answer is unknown: the Deployment may have it or not. When the counter was chosen, the
   * Deployment had a lower one.
   */
  readonly writing?: number;
}

/** Removes the state. */
export const NO_ROLLOUT = { secret: undefined, content: undefined, revision: undefined, targets: undefined };

/** Undefined before the first observation, or when the stored text cannot be read. In both cases a new baseline begins. */
export function readRolloutState(values: DurableValues): RolloutState | undefined {
  const { secret, content, revision, targets } = values;
  if (typeof content !== 'string' || typeof revision !== 'number' || typeof targets !== 'string') return undefined;
  return {
    ...(typeof secret === 'string' && { secret }),
    content: new Map(entries(content).map(([mark = '', digest = '']) => [mark, digest])),
    revision,
    targets: new Map(
      entries(targets).map(([mark = '', uidMark = '', rolled = '', writing]) => [
        mark,
        { uidMark, revision: Number(rolled), ...(writing !== undefined && { writing: Number(writing) }) },
      ]),
    ),
  };
}

/** The first release reads the same fields: of a target it passes over what follows the revision. */
export function rolloutValues({ secret, content, revision, targets }: RolloutState): DurableValues {
  const sorted = <Value>(map: ReadonlyMap<string, Value>) =>
    [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    ...(secret !== undefined && { secret }),
    content: sorted(content)
      .map(([mark, digest]) => `${mark}:${digest}`)
      .join(','),
    revision,
    targets: sorted(targets)
      .map(([mark, { uidMark, revision: rolled, writing }]) => {
        return `${mark}:${uidMark}:${rolled}${writing === undefined ? '' : `:${writing}`}`;
      })
      .join(','),
  };
}

function entries(text: string): string[][] {
  return text === '' ? [] : text.split(',').map((entry) => entry.split(':'));
}
