import type { SkinnyEvent } from '../../../core/event.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { Target } from '../../../core/target.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { EventScope, ObservedCall } from '../process.ts';

/** What an attempt knows of an object: the version that it read first, advanced only by its own writes. */
export interface Knowledge {
  /** Undefined for an object that was read and is absent. */
  readonly version: string | undefined;
  /** Up to this version, the attempt knows of every change of the object. */
  readonly upTo: number | undefined;
}

/** A complete list that an attempt read. */
export interface Listing {
  readonly kind: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Whether a label selector limits the list. */
  readonly selective: boolean;
}

/** One run of a reconcile function, from the load of its target to its result. */
export interface Attempt {
  readonly pass: PassRecord;
  /** By the key `kind/namespace/name`. */
  readonly known: Map<string, Knowledge>;
  /** The object that the attempt read or wrote last, by the same key; undefined for an absent one. */
  readonly latest: Map<string, KubeObject | undefined>;
  /** The target as the last GET showed it. A list may show a newer target; the pass still continues with this one. */
  loaded: KubeObject | undefined;
  /**
   * The version at which a list first showed the target. Events about the target as an object of that list are seen up
   * to this version, even when the pass continues with an older target.
   */
  listedTarget: number | undefined;
  /** When the request for the target was sent. */
  loadSentAtMs: number | undefined;
  /**
   * The objects that it began to read together with its target, and all versions that it read of them. It may leave
   * them unused.
   */
  readonly ahead: Map<string, Set<string | undefined>>;
  readonly listings: Listing[];
  /**
   * Objects that it read by name after a list that did not have them. The engine records no version of them, so an
   * event of one costs a pass.
   */
  readonly lacked: Set<string>;
  /** Pages of lists that are not complete yet, by request. */
  readonly pages: Map<string, KubeObject[]>;
  /** Removes the knowledge from a call again, when the answer of the call never arrives. */
  readonly undo: WeakMap<ObservedCall, () => void>;
  /** Reads that returned neither an object nor NotFound. */
  failedReads: number;
  /** The number of failed reads, by missing kind. */
  readonly missingKinds: Map<string, number>;
  /**
   * The Retry-After of the API server's refusals, by reason: the longest and the shortest. The shortest is 0 when one
   * refusal had none.
   */
  readonly retryAfter: Map<string, { readonly longestMs: number; readonly shortestMs: number }>;
}

/** One acquired pass, as the table and the API server saw it. */
export interface PassRecord {
  /** The target, with the address that the item had when its last attempt began. */
  target: Target;
  readonly scope: EventScope;
  readonly epoch: number;
  /** True time at which the pass was acquired. */
  readonly startedAtMs: number;
  /** True time at which the lease ends by the holder's own clock. */
  readonly untilMs: number;
  /** The end of the lease in the table. */
  readonly leaseUntilMs: number;
  readonly attempts: Attempt[];
  /** Events that arrived since its last attempt began, and were left as pending marks. */
  readonly marks: SkinnyEvent[];
  /** The number of requests to the API server. */
  calls: number;
}

/** What is known of a target from its passes. */
export interface TargetRecord {
  readonly key: string;
  /** The pass that holds the lease, or died while it held it. */
  holder: PassRecord | undefined;
  /** The number of passes in a row that neither committed nor were put off. */
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
