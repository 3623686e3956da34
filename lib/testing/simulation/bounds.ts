import type { InstallationScope } from '../../core/installation.ts';
import type { KubeObject } from '../../core/kube-object.ts';

type Labels = Readonly<Record<string, string>>;

/** One way to limit an installation by labels, and what users do to an object for it. */
export interface Selection {
  readonly selector: string;
  /** Merge patches of labels, which put an object into it and take it out. */
  readonly inside: Readonly<Record<string, string | null>>;
  readonly outside: Readonly<Record<string, string | null>>;
  /** An object is in it unless users take it out. */
  readonly byDefault: boolean;
  /** Whether labels that users give here are in it: told apart without the engine's own parser. */
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

/** No limited installation reaches it. */
export const ELSEWHERE = 'elsewhere';
export const PAUSED = 'evenkeel.dev/paused';
const OUR_LABEL = 'app.kubernetes.io/managed-by';

/** Which objects an installation has to do with, judged without the engine's word for it. */
export class Bounds {
  readonly scope: InstallationScope;
  /** Undefined without a selector, or with one that is none of the known ones. */
  readonly selection: Selection | undefined;

  constructor(scope: InstallationScope) {
    this.scope = scope;
    this.selection = SELECTIONS.find(({ selector }) => selector === scope.labelSelector);
  }

  /** In a namespace that the installation does not reach. */
  isBeyond({ metadata }: KubeObject): boolean {
    const { namespaces } = this.scope;
    return (
      namespaces !== undefined && metadata.namespace !== undefined && namespaces.indexOf(metadata.namespace) === -1
    );
  }

  /** Whether an object of a reconciled kind is left out. @param onlyManaged its controller takes objects with our label alone. */
  leavesOut(object: KubeObject, onlyManaged: boolean): boolean {
    const { labels = {} } = object.metadata;
    if (onlyManaged) return labels[OUR_LABEL] !== 'evenkeel';
    return this.isBeyond(object) || this.selection?.isInside(labels) === false;
  }
}

export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED] === 'true';
}
