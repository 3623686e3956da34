import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { ClusterApi, MutationOptions, WatchEvent, WatchOptions } from '../../ports/cluster-api.ts';
import type { CallVerdict, MessageScope, ObservedCall, SimulatedProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

/** A server may answer with smaller pages than requested. These pages are so small that most lists have several. */
const LARGEST_PAGE = 2;

/** What can happen to a watch after each of its events. */
export type WatchVerdict =
  | CallVerdict
  /** No more events arrive, and the watch does not end. */
  | { readonly type: 'silent' }
  /** The server sends the last events again. */
  | { readonly type: 'replay'; readonly events: number };

export type WatchPlan = (call: ObservedCall) => WatchVerdict;

/** The cluster for one process: calls are scheduled and may fail; each event of a watch waits for a turn. */
export function reachCluster(
  scheduler: Scheduler,
  process: SimulatedProcess,
  api: ClusterApi,
  plan: WatchPlan,
  scope?: MessageScope,
): ClusterApi {
  const calls = process.reach(api, 'api', scope);
  return {
    get: calls.get,
    list: (type, options) =>
      calls.list(type, { ...options, limit: Math.min(options?.limit ?? LARGEST_PAGE, LARGEST_PAGE) }),
    create: async (type, object, options) => await calls.create(type, object, sent(options)),
    patch: async (type, name, body, options) => await calls.patch(type, name, body, sent(options)),
    delete: async (type, name, options) => await calls.delete(type, name, sent(options)),
    watch: (type, options) => watch(scheduler, process, api, plan, type, options),
  };
}

/** The client checks before it sends. A request that was sent cannot be cancelled. */
function sent<Options extends MutationOptions>({ beforeSend, ...options }: Options): Omit<Options, 'beforeSend'> {
  beforeSend?.();
  return options;
}

async function* watch(
  scheduler: Scheduler,
  process: SimulatedProcess,
  api: ClusterApi,
  plan: WatchPlan,
  type: ResourceType,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  // The connect is scheduled like any call, and it may fail.
  await process.call('api', 'watch', [type, options], () => undefined);
  const last: WatchEvent[] = [];
  for await (const event of api.watch(type, options)) {
    await scheduler.turn(process, () => `sees ${describeEvent(event)} of ${kindId(type)}`, options.signal);
    yield event;
    last.push(event);
    if (last.length > 3) last.shift();
    const call = {
      process,
      scope: undefined,
      port: 'watch',
      method: 'stream',
      args: [type],
      issuedAtMs: scheduler.now(),
    };
    const verdict = plan(call);
    if (verdict.type === 'fail') throw verdict.error;
    if (verdict.type === 'silent') await untilAborted(options.signal);
    if (verdict.type === 'replay') yield* last.slice(-verdict.events);
  }
}

function describeEvent(event: WatchEvent): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK ${event.resourceVersion}`;
  if (event.type === 'UNREADABLE') return `UNREADABLE ${event.unreadable.name}`;
  const { namespace = '', name, resourceVersion } = event.object.metadata;
  return `${event.type} ${namespace}/${name}@${resourceVersion}`;
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
