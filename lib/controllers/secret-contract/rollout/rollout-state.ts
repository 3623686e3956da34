import type { DurableValues } from '../../../core/reconcile-context.ts';
import type { ContentDigests } from './content-digest.ts';

/** The state of a contract's rollouts in its item: at most 3.3 KB for 64 keys and 16 targets. */
export interface RolloutState {
  /** `targetMark` of the Secret's namespace and name; undefined in the state of the first release. */
  readonly secret?: string;
  readonly content: ContentDigests;
  /** Grows with each change of content. */
  readonly revision: number;
  /** By `targetMark`: the known Deployments, and the revision that each runs with. */
  readonly targets: ReadonlyMap<string, RolledTarget>;
}

export interface RolledTarget {
  /**
   * The mark of the Deployment's UID. A Deployment that was recreated under the same name starts from the beginning.
   */
  readonly uidMark: string;
  readonly revision: number;
  /**
   * The counter of a patch whose answer is unknown: the Deployment may have it or not. When the counter was selected,
   * the Deployment had a lower one.
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

/** The first release reads the same fields. It ignores what follows the revision of a target. */
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
