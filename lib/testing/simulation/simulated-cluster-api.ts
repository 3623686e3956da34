import type { ResourceType } from '../../core/resource-type.ts';
import { kindId } from '../../core/resource-type.ts';
import type { ClusterApi, WatchEvent, WatchOptions } from '../../ports/cluster-api.ts';
import type { SimulatedProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

/** The cluster as one process reaches it: calls are scheduled and may fail; each event of a watch waits for its turn. */
export function reachCluster(scheduler: Scheduler, process: SimulatedProcess, api: ClusterApi): ClusterApi {
  const calls = process.reach(api, 'api');
  return {
    get: calls.get,
    list: calls.list,
    create: calls.create,
    patch: calls.patch,
    delete: calls.delete,
    watch: (type, options) => watch(scheduler, process, api, type, options),
  };
}

async function* watch(
  scheduler: Scheduler,
  process: SimulatedProcess,
  api: ClusterApi,
  type: ResourceType,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  // The connect is a call like others: it may fail, and it happens at its turn.
  await process.call('api', `watch ${kindId(type)}`, [options], () => undefined);
  for await (const event of api.watch(type, options)) {
    await scheduler.turn(process, `sees ${event.type} of ${kindId(type)}`, options.signal);
    yield event;
    const verdict = process.judge('api', 'watch-stream');
    if (verdict.type === 'fail' || verdict.type === 'lose') throw verdict.error;
  }
}
