import type { InstallationScope } from '../../core/installation.ts';
import type { KubeObject } from '../../core/kube-object.ts';

type Labels = Readonly<Record<string, string>>;

/** One way to limit an installation by labels, and how users move an object in and out. */
export interface Selection {
  readonly selector: string;
  /** Merge patches of labels that move an object into the selection and out of it. */
  readonly inside: Readonly<Record<string, string | null>>;
  readonly outside: Readonly<Record<string, string | null>>;
  /** Whether an object without a user's labels is in the selection. */
  readonly byDefault: boolean;
  /** Whether labels that users give here are in the selection, without the engine's parser. */
  isInside(labels: Labels): boolean;
}

const ASIDE = 'simulation.evenkeel.dev/aside';
const TEAM = 'simulation.evenkeel.dev/team';

export const SELECTIONS: readonly Selection[] = [
  {
    selector: `${ASIDE}!=yes`,
    inside: { [ASIDE]: 'no' },
    outside: { [ASIDE]: 'yes' },
    byDefault: true,
    isInside: (labels) => labels[ASIDE] !== 'yes',
  },
  {
    selector: `!${ASIDE}`,
    inside: { [ASIDE]: null },
    outside: { [ASIDE]: 'yes' },
    byDefault: true,
    isInside: (labels) => labels[ASIDE] === undefined,
  },
  {
    selector: `${TEAM}=ours`,
    inside: { [TEAM]: 'ours' },
    outside: { [TEAM]: null },
    byDefault: false,
    isInside: (labels) => labels[TEAM] === 'ours',
  },
  {
    selector: `${TEAM} in (ours,both)`,
    inside: { [TEAM]: 'both' },
    outside: { [TEAM]: 'theirs' },
    byDefault: false,
    isInside: (labels) => labels[TEAM] === 'ours' || labels[TEAM] === 'both',
  },
];

/** A namespace that no limited installation includes. */
export const ELSEWHERE = 'elsewhere';
export const PAUSED = 'evenkeel.dev/paused';
const OUR_LABEL = 'app.kubernetes.io/managed-by';

/** The objects that an installation includes, computed without the engine. */
export class Bounds {
  readonly scope: InstallationScope;
  /** Undefined without a selector, or with an unknown one. */
  readonly selection: Selection | undefined;

  constructor(scope: InstallationScope) {
    this.scope = scope;
    this.selection = SELECTIONS.find(({ selector }) => selector === scope.labelSelector);
  }

  /** Whether the object is in a namespace that the installation does not include. */
  isBeyond({ metadata }: KubeObject): boolean {
    const { namespaces } = this.scope;
    return (
      namespaces !== undefined && metadata.namespace !== undefined && namespaces.indexOf(metadata.namespace) === -1
    );
  }

  /**
   * Whether an object of a reconciled kind is left out.
   * @param onlyManaged whether its controller takes only objects with our label.
   */
  leavesOut(object: KubeObject, onlyManaged: boolean): boolean {
    const { labels = {} } = object.metadata;
    if (onlyManaged) return labels[OUR_LABEL] !== 'evenkeel';
    return this.isBeyond(object) || this.selection?.isInside(labels) === false;
  }
}

export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED] === 'true';
}
