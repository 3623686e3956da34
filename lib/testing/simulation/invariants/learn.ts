import type { KubeObject, ObjectName } from '../../../core/kube-object.ts';
import type { ObjectKey } from '../../../core/observation.ts';
import { kindId, type ResourceType } from '../../../core/resource-type.ts';
import { ApiError, type ListOptions, type ListPage } from '../../../ports/cluster-api.ts';
import type { CommitRecord } from '../../../ports/state-store.ts';
import type { CallOutcome, ObservedCall } from '../process.ts';
import type { ObjectWrite } from './invariant.ts';
import { type Attempt, type Knowledge, keyOf, type Listing, type PassRecord } from './pass-record.ts';

/*
 * Updates what an attempt knows after each of its calls. The order is the one in which the calls took effect. When an
 * answer is lost, its knowledge is removed again.
 */

export function newAttempt(pass: PassRecord): Attempt {
  return {
    pass,
    known: new Map(),
    latest: new Map(),
    loaded: undefined,
    listedTarget: undefined,
    loadSentAtMs: undefined,
    ahead: new Map(),
    listings: [],
    lacked: new Set(),
    pages: new Map(),
    undo: new WeakMap(),
    failedReads: 0,
    missingKinds: new Map(),
    retryAfter: new Map(),
  };
}

/** The object of a call, if it has exactly one. */
export function namedObject({ method, args }: ObservedCall): (ObjectName & { readonly kind: string }) | undefined {
  const [type, second] = args as [ResourceType, unknown];
  if (method === 'create') {
    const { namespace = '', name } = (second as KubeObject).metadata;
    return { kind: kindId(type), namespace, name };
  }
  if (method !== 'get' && method !== 'patch' && method !== 'delete') return undefined;
  const { namespace, name } = second as ObjectName;
  return { kind: kindId(type), namespace, name };
}

export function learnError(attempt: Attempt, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const { reason, retryAfterMs = 0 } = error;
  const { longestMs, shortestMs } = attempt.retryAfter.get(reason) ?? { longestMs: 0, shortestMs: retryAfterMs };
  attempt.retryAfter.set(reason, {
    longestMs: Math.max(longestMs, retryAfterMs),
    shortestMs: Math.min(shortestMs, retryAfterMs),
  });
}

export function learnRead(attempt: Attempt, call: ObservedCall, outcome: CallOutcome): void {
  const named = namedObject(call);
  if (named === undefined) return;
  const key = keyOf(named.kind, named);
  const absent = !outcome.ok && outcome.error instanceof ApiError && outcome.error.reason === 'NotFound';
  if (!outcome.ok && !absent) {
    failRead(attempt, named.kind, outcome.error);
    return;
  }
  if (absent && named.kind === DEFINITIONS) {
    // A definition is deleted only after all objects of its kind. So reads that failed because the kind was missing now
    // have their answer.
    attempt.failedReads -= attempt.missingKinds.get(named.name) ?? 0;
    attempt.missingKinds.delete(named.name);
  }
  const object = outcome.ok ? (outcome.value as KubeObject) : undefined;
  rememberForUndo(attempt, call, [key]);
  attempt.latest.set(key, object);
  if (key === targetKeyOf(attempt)) {
    attempt.loaded = object;
    attempt.loadSentAtMs ??= call.issuedAtMs;
  } else if (isAhead(attempt, call)) attempt.ahead.set(key, new Set());
  attempt.ahead.get(key)?.add(object?.metadata.resourceVersion);
  if (attempt.known.has(key)) return;
  // The object was absent from an earlier list of this attempt, so that list was the first read of it.
  const lists = attempt.listings.filter(
    ({ kind, namespace }) => kind === named.kind && ['', named.namespace].includes(namespace),
  );
  if (lists.length > 0) attempt.lacked.add(key);
  attempt.known.set(key, lists.some(({ selective }) => !selective) ? ABSENT : knowledgeOf(object));
}

export function learnPage(attempt: Attempt, call: ObservedCall, outcome: CallOutcome): void {
  const [type, options = {}] = call.args as [ResourceType, ListOptions?];
  const kind = kindId(type);
  const asked = `${kind}/${options.namespace ?? ''}?${options.labelSelector ?? ''}`;
  if (!outcome.ok) {
    failRead(attempt, kind, outcome.error);
    attempt.pages.delete(asked);
    return;
  }
  const page = outcome.value as ListPage;
  const items = [...(options.continueToken === undefined ? [] : (attempt.pages.get(asked) ?? [])), ...page.items];
  attempt.pages.set(asked, items);
  if (page.continueToken !== undefined) return;
  attempt.pages.delete(asked);
  const keys = items.map(({ metadata }) => keyOf(kind, { namespace: metadata.namespace ?? '', name: metadata.name }));
  const listing: Listing = { kind, namespace: options.namespace ?? '', selective: options.labelSelector !== undefined };
  rememberForUndo(attempt, call, keys, listing);
  for (const [index, item] of items.entries()) {
    const key = keys[index] ?? '';
    attempt.latest.set(key, item);
    if (!attempt.known.has(key)) attempt.known.set(key, knowledgeOf(item));
    if (key === targetKeyOf(attempt)) attempt.listedTarget ??= Number(item.metadata.resourceVersion);
  }
  attempt.listings.push(listing);
}

/**
 * The state after a write is known only if the state just before the write was known. The answer to a deletion does not
 * show what it left; the next pass reads it.
 */
export function learnWrite(
  attempt: Attempt,
  { call, kind, namespace, name, before, after, answer }: ObjectWrite,
): void {
  const key = keyOf(kind, { namespace, name });
  rememberForUndo(attempt, call, [key]);
  attempt.latest.set(key, after);
  const known = attempt.known.get(key);
  if (call.method === 'delete' || known === undefined || known.version !== before?.metadata.resourceVersion) return;
  const last = after ?? answer;
  const upTo = last === undefined ? known.upTo : Number(last.metadata.resourceVersion);
  attempt.known.set(key, { ...knowledgeOf(after), upTo });
}

/** The caller does not get the answer of this call. */
export function unlearn(attempt: Attempt, call: ObservedCall, error: unknown): void {
  if (call.method === 'get' || call.method === 'list') {
    const [type] = call.args as [ResourceType];
    failRead(attempt, kindId(type), error);
  }
  attempt.undo.get(call)?.();
}

/**
 * Whether a pass sends a read together with the read of its target. It sends all other reads after it has the target.
 */
function isAhead({ loadSentAtMs }: Attempt, call: ObservedCall): boolean {
  return loadSentAtMs === undefined || call.issuedAtMs === loadSentAtMs;
}

/**
 * A read that was sent ahead of the target counts as known only if the commit shows that the pass used it: by a version
 * that it really read, or by an edge to an absent object.
 */
export function settleAhead(attempt: Attempt, { versions, edges }: Pick<CommitRecord, 'versions' | 'edges'>): void {
  for (const [key, read] of attempt.ahead) {
    const claimed = versions[key as ObjectKey];
    const known = attempt.known.get(key);
    if (claimed !== undefined && read.has(String(claimed))) {
      // The pass may have changed the version since by a write of its own.
      if (read.has(known?.version)) attempt.known.set(key, { version: String(claimed), upTo: claimed });
    } else if (claimed !== undefined || known?.version !== undefined || !edges.includes(key as ObjectKey)) {
      attempt.known.delete(key);
    }
  }
}

function failRead(attempt: Attempt, kind: string, error: unknown): void {
  attempt.failedReads += 1;
  const isMissing = error instanceof ApiError && error.reason === 'KindMissing';
  if (isMissing) attempt.missingKinds.set(kind, (attempt.missingKinds.get(kind) ?? 0) + 1);
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const ABSENT: Knowledge = { version: undefined, upTo: undefined };

function targetKeyOf({ pass: { target } }: Attempt): string {
  return keyOf(target.kind, target);
}

function knowledgeOf(object: KubeObject | undefined): Knowledge {
  if (object === undefined) return ABSENT;
  const { resourceVersion } = object.metadata;
  return { version: resourceVersion, upTo: Number(resourceVersion) };
}

function rememberForUndo(attempt: Attempt, call: ObservedCall, keys: readonly string[], listing?: Listing): void {
  const { known, latest, listings, loaded, listedTarget } = attempt;
  const isOfTarget = keys.includes(targetKeyOf(attempt));
  const before = keys.map(
    (key) => [key, known.get(key), latest.has(key) ? { object: latest.get(key) } : undefined] as const,
  );
  attempt.undo.set(call, () => {
    if (isOfTarget) {
      attempt.loaded = loaded;
      attempt.listedTarget = listedTarget;
    }
    for (const [key, knew, last] of before) {
      if (knew === undefined) known.delete(key);
      else known.set(key, knew);
      if (last === undefined) latest.delete(key);
      else latest.set(key, last.object);
    }
    const index = listing === undefined ? -1 : listings.indexOf(listing);
    if (index >= 0) listings.splice(index, 1);
  });
}
