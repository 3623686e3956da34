import type { KubeObject } from '../../core/kube-object.ts';
import type { KindId } from '../../core/resource-type.ts';
import { isApiError } from '../../ports/cluster-api.ts';
import { isBreakerOpen } from '../breaker/is-breaker-open.ts';
import { reportUnreadable } from '../fanout/report-unreadable.ts';
import { TargetScope } from '../fanout/target-scope.ts';
import type { WatchedKind } from '../registry.ts';
import { isHalted } from '../rollout/choose-version.ts';
import { listPages } from '../watch/list-objects.ts';
import { type WatchStream, watchStreams } from '../watch/watch-stream.ts';
import { compareInventory } from './compare-inventory.ts';
import { type DifferenceIds, Differences } from './differences.ts';
import { KindList, type VersionRule } from './kind-list.ts';
import { DEFAULT_RESYNC_OPTIONS, type ResyncDependencies, type ResyncOptions, type ResyncTick } from './resync-tick.ts';

export interface ResyncRequest extends ResyncDependencies {
  /** The number of the run; it grows from one run to the next. */
  readonly tick: number;
  readonly signal: AbortSignal;
  /** The result of the last tick of this cluster, if this process ran it. A difference that is found again counts as drift. */
  readonly previous?: DifferenceIds;
  /** The last tick of this cluster in this process found nothing: then nothing of resync waits, and no lane is read. */
  readonly quiet?: boolean;
  readonly options?: Partial<ResyncOptions>;
}

export type ResyncReport =
  /** The cluster is paused or its breaker is open, so resync sent no request to it. */
  | { readonly type: 'skipped'; readonly why: 'paused' | 'unreachable'; readonly differences: DifferenceIds }
  | {
      readonly type: 'compared';
      /** Differences found. */
      readonly found: number;
      /** Those of them that the last tick had found as well. */
      readonly drift: number;
      /** Those for which nothing was sent, because the lane of their controller group was full. The next tick finds them. */
      readonly left: number;
      /** Kinds that could not be listed completely. Resync concluded nothing about the absence of their objects. */
      readonly incomplete: readonly KindId[];
      readonly differences: DifferenceIds;
    };

/**
 * Compares complete lists of all watched kinds with the inventory, and sends an event for each difference by the `resync`
 * lane. The differences are: targets that are unknown or at another version, targets that are gone, targets
 * whose recorded dependencies changed, and, a few at a time, targets whose last pass ran with another version of their
 * reconciler. Resync finds all of them by comparison, so it needs no memory of a process. Only `drift` depends on
 * the last tick.
 *
 * Requests: one list page for each 500 objects, and the pages of the inventory, once. Unless the last tick was quiet, also
 * one to the queue of each controller group. A lane that is full then gets nothing in this tick.
 *
 * @throws the error of the table or the queue; the next tick finds the differences that this one did not send.
 */
export async function resyncCluster(request: ResyncRequest): Promise<ResyncReport> {
  const { cluster, store, registry, clock, previous = new Set<string>(), signal, tick } = request;
  const options = { ...DEFAULT_RESYNC_OPTIONS, ...request.options };
  const { incarnation, paused, breakerOpenUntilMs, halts } = await store.readCluster(cluster);
  if (paused) return { type: 'skipped', why: 'paused', differences: previous };
  if (isBreakerOpen(breakerOpenUntilMs, clock.now()))
    return { type: 'skipped', why: 'unreachable', differences: previous };

  const scope = new TargetScope(request.scope);
  // Read before the lists: the ticks of other clusters begin at the same time, and their events must not count here.
  const fullLanes = request.quiet === true ? new Set<string>() : await fullLanesOf(request, options.laneDepth);
  const differences = new Differences(request, previous, signal, { ...options, fullLanes });
  const run: ResyncTick = { deps: request, options, tick, incarnation, scope, differences, halts, signal };
  const streams = Map.groupBy(watchStreams(registry, request.scope), ({ kind }) => kind.id);
  const lists = new Map<KindId, KindList>();
  const incomplete: KindId[] = [];
  for (const kind of registry.watchedKinds()) {
    const list = await listKind(run, kind, streams.get(kind.id) ?? []);
    if (list === undefined) incomplete.push(kind.id);
    else lists.set(kind.id, list);
  }
  let outdatedLeft = options.outdatedPerTick;
  for (const { id, primary } of registry.watchedKinds()) {
    if (primary) outdatedLeft = await compareInventory(run, id, lists, outdatedLeft);
  }
  await differences.flush();
  return {
    type: 'compared',
    found: differences.found,
    drift: differences.drift,
    left: differences.left,
    incomplete,
    differences: differences.ids,
  };
}

/** The controller groups whose lane still holds many events, of ticks before or of the relay. */
async function fullLanesOf({ registry, sender, logger }: ResyncRequest, laneDepth: number): Promise<Set<string>> {
  const full = new Set<string>();
  for (const group of registry.groups()) {
    const waiting = await sender.waiting(group, 'resync');
    if (waiting <= laneDepth) continue;
    full.add(group);
    logger.info('the lane of resync is full: this run sends nothing for its controller group', { group, waiting });
  }
  return full;
}

/** Which version reconciles an object of a kind. A halted version reconciles none. */
function versionRule({ deps, halts }: ResyncTick, kind: KindId) {
  const { cluster, registry, metrics } = deps;
  const rollout = registry.rolloutOf(kind);
  const share = registry.shareOf(kind);
  // Keeps the alarm on until a person acts.
  const isStopped = rollout !== undefined && isHalted(rollout, halts?.[kind]);
  if (isStopped) metrics.record('NeedsPerson', 1, { Group: rollout.next.group, Kind: kind, Reason: 'RolloutHalted' });
  return ({ uid, labels }: KubeObject['metadata']): VersionRule | undefined => {
    const object = { cluster, uid };
    if (rollout !== undefined) return !isStopped && rollout.share.includes(object, labels) ? 'next' : undefined;
    return share === undefined || share.includes(object, labels) ? undefined : 'any';
  };
}

/** Undefined when the list is not complete. The other kinds continue. */
async function listKind(
  run: ResyncTick,
  kind: WatchedKind,
  streams: readonly WatchStream[],
): Promise<KindList | undefined> {
  const { deps, options, signal } = run;
  const list = new KindList(kind, run.scope, versionRule(run, kind.id));
  try {
    for (const stream of streams) {
      let listVersion: string | undefined;
      const keep = (object: KubeObject) => list.add(object);
      for await (const page of listPages({ api: deps.api, stream, pageSize: options.pageSize, signal, keep })) {
        if (listVersion === undefined) {
          listVersion = page.resourceVersion;
          list.startNamespace(stream.namespace, listVersion);
        }
        for (const object of page.unreadable) {
          list.addUnreadable(object);
          reportUnreadable(deps, kind.id, object, listVersion);
        }
      }
    }
    return list;
  } catch (error) {
    signal.throwIfAborted();
    if (!isApiError(error)) throw error;
    deps.logger.error('a kind could not be listed completely: the next resync tries again', error, { kind: kind.id });
    return undefined;
  }
}
