import type { ClusterStore } from '../../ports/state-store.ts';

/** The clusters in a paused deployment: every one is paused. */
export function pausedView(store: ClusterStore): ClusterStore {
  return new Proxy(store, {
    get: (target, property) => {
      if (property === 'readCluster') {
        return async (cluster: string) => ({ ...(await target.readCluster(cluster)), paused: true });
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
