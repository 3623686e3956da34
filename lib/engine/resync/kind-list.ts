import type { KubeObject } from '../../core/kube-object.ts';
import { versionNumber } from '../../core/observation.ts';
import type { UnreadableObject } from '../../ports/cluster-api.ts';
import { positionOf } from '../fanout/edge-cursor.ts';
import type { TargetScope } from '../fanout/target-scope.ts';
import type { WatchedKind } from '../registry.ts';

/** Replaces the name of an object without one. No position and no UID has this value. */
const ANY = '';

/** The object of a namespace that changed last. */
export interface Newest {
  readonly position: string;
  readonly version: number;
  /** Epoch ms by the clock of the API server, from the metadata; undefined when the metadata has no time. */
  readonly changedAtMs: number | undefined;
}

/** `next`: a new version of the controller reconciles the target. `any`: no pass because of a version. */
export type VersionRule = 'next' | 'any';

/** The fields that a list shows of a target. */
export interface ListedTarget {
  /** `namespace/name`. */
  readonly position: string;
  readonly resourceVersion: string;
  /** Within the installation's scope. */
  readonly selected: boolean;
  /** Absent when the target gets a pass whenever the controller has another version. */
  readonly version?: VersionRule;
}

/**
 * The part of a complete list of one kind that is kept: the targets of a primary kind, the versions of a kind that passes
 * read. The memory of resync grows with this.
 */
export class KindList {
  readonly kind: WatchedKind;
  readonly #scope: TargetScope;
  readonly #targets = new Map<string, ListedTarget>();
  readonly #versions = new Map<string, number | undefined>();
  readonly #newestOf = new Map<string, Newest>();
  readonly #listVersions = new Map<string, string>();
  /** Positions and UIDs. */
  readonly #unreadable = new Set<string>();

  readonly #ruleOf: (metadata: KubeObject['metadata']) => VersionRule | undefined;

  constructor(
    kind: WatchedKind,
    scope: TargetScope,
    ruleOf: (metadata: KubeObject['metadata']) => VersionRule | undefined = () => undefined,
  ) {
    this.kind = kind;
    this.#scope = scope;
    this.#ruleOf = ruleOf;
  }

  /** @param namespace '' for all. */
  startNamespace(namespace: string, listVersion: string): void {
    this.#listVersions.set(namespace, listVersion);
  }

  add({ metadata }: KubeObject): void {
    const namespace = metadata.namespace ?? '';
    const position = positionOf({ namespace, name: metadata.name });
    if (this.kind.primary) {
      const { uid, resourceVersion } = metadata;
      const selected = this.#scope.includes(this.kind, metadata);
      const version = this.#ruleOf(metadata);
      this.#targets.set(uid, { position, resourceVersion, selected, ...(version !== undefined && { version }) });
    }
    if (!this.kind.read) return;
    const version = versionNumber(metadata.resourceVersion);
    this.#versions.set(position, version);
    if (version === undefined) return;
    for (const listed of new Set([namespace, ''])) {
      if ((this.#newestOf.get(listed)?.version ?? 0) >= version) continue;
      this.#newestOf.set(listed, { position, version, changedAtMs: changedAtMs(metadata) });
    }
  }

  addUnreadable({ namespace, name, uid }: UnreadableObject): void {
    this.#unreadable.add(name === '' ? ANY : positionOf({ namespace, name }));
    if (uid !== '') this.#unreadable.add(uid);
  }

  /**
   * Whether an unreadable object in the list may be this one. Then the list does not prove that the object is absent.
   * @param uid if it is known.
   */
  mayHold(position: string, uid?: string): boolean {
    const unreadable = this.#unreadable;
    return unreadable.has(ANY) || unreadable.has(position) || (uid !== undefined && unreadable.has(uid));
  }

  target(uid: string): ListedTarget | undefined {
    return this.#targets.get(uid);
  }

  /** By UID. */
  allTargets(): Iterable<[string, ListedTarget]> {
    return this.#targets;
  }

  /** Whether objects of this namespace were listed. */
  covers(namespace: string): boolean {
    return this.listVersionText(namespace) !== undefined;
  }

  listVersionText(namespace: string): string | undefined {
    return this.#listVersions.get('') ?? this.#listVersions.get(namespace);
  }

  listVersion(namespace: string): number | undefined {
    return versionNumber(this.listVersionText(namespace));
  }

  has(position: string): boolean {
    return this.#versions.has(position);
  }

  /** Undefined when it is absent, or no number. */
  version(position: string): number | undefined {
    return this.#versions.get(position);
  }

  /** @param namespace '' for all of them. */
  newest(namespace: string): Newest | undefined {
    return this.#newestOf.get(namespace);
  }
}

function changedAtMs({ creationTimestamp, managedFields = [] }: KubeObject['metadata']): number | undefined {
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)]
    .map((time) => Date.parse(time ?? ''))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
