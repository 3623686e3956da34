import type { SkinnyEvent } from '../../../core/event.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { Target } from '../../../core/target.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { EventScope, ObservedCall } from '../process.ts';

/** What an attempt knows of an object: the version it read first, moved on by its own writes alone. */
export interface Knowledge {
  /** Undefined for an object that was read and is absent. */
  readonly version: string | undefined;
  /** Up to this version nothing happened to it that the attempt does not know of. */
  readonly upTo: number | undefined;
}

/** A complete list that an attempt read. */
export interface Listing {
  readonly kind: string;
  /** '' for all namespaces. */
  readonly namespace: string;
  /** Whether labels chose what it shows. */
  readonly selective: boolean;
}

/** One run of a reconcile function, from the load of its target to its result. */
export interface Attempt {
  readonly pass: PassRecord;
  /** By `kind/namespace/name`. */
  readonly known: Map<string, Knowledge>;
  /** What it read or wrote last of each object, by the same key; undefined for absent. */
  readonly latest: Map<string, KubeObject | undefined>;
  /** Its target as its last GET showed it. A list may show a newer one: the pass goes on with this one all the same. */
  loaded: KubeObject | undefined;
  /**
   * The version at which a list showed the target first. Events about the target as an object of that list are seen up to
   * it, also where the pass goes on with an older target.
   */
  listedTarget: number | undefined;
  /** When the read of its target was sent. */
  loadSentAtMs: number | undefined;
  /** What it began to read together with its target, and all versions that it read of that. It need not use them. */
  readonly ahead: Map<string, Set<string | undefined>>;
  readonly listings: Listing[];
  /** What it read by name after a list that lacked it. The engine records no version of it, so events of it cost a pass. */
  readonly lacked: Set<string>;
  /** Pages of lists that are not complete yet, by what was asked for. */
  readonly pages: Map<string, KubeObject[]>;
  /** Takes back what a call taught, when its answer never arrives. */
  readonly undo: WeakMap<ObservedCall, () => void>;
  /** Reads that ended in neither an object nor its absence. */
  failedReads: number;
  /** How many of them failed because their kind is not served. */
  readonly missingKinds: Map<string, number>;
  /** Retry-After of the API server's refusals by reason: the longest, and the shortest, 0 where one named none. */
  readonly retryAfter: Map<string, { readonly longestMs: number; readonly shortestMs: number }>;
}

/** One acquired pass, as the table and the API server saw it. */
export interface PassRecord {
  /** At the address that the item recorded when its last attempt began. */
  target: Target;
  readonly scope: EventScope;
  readonly epoch: number;
  /** True time of its acquire. */
  readonly startedAtMs: number;
  /** True time at which the holder's own clock says that the lease ends. */
  readonly untilMs: number;
  /** What the table holds as that. */
  readonly leaseUntilMs: number;
  readonly attempts: Attempt[];
  /** Events that met it since its last attempt began, and were left with it as marks. */
  readonly marks: SkinnyEvent[];
  /** Requests to the API server. */
  calls: number;
}

/** What is known of a target from the passes it had. */
export interface TargetRecord {
  readonly key: string;
  /** The pass that holds the lease, or died holding it. */
  holder: PassRecord | undefined;
  /** Passes that were acquired, in a row, and neither committed nor put off. */
  crashes: number;
  /** Consecutive failures. */
  failures: number;
  lastCommit: { readonly attempt: Attempt; readonly record: CommitRecord; readonly atMs: number } | undefined;
}

export function targetKey({ kind, uid }: { kind: string; uid: string }): string {
  return `${kind}/${uid}`;
}

export function keyOf(kind: string, { namespace, name }: { namespace: string; name: string }): string {
  return `${kind}/${namespace}/${name}`;
}

export function describeTarget({ kind, namespace, name, uid }: Target): string {
  return `${kind} ${namespace}/${name} (${uid.slice(-4)})`;
}
