import type { ObjectName } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';

/** The same API; before each request for an object it calls a function. */
export function beforeGet(
  api: ClusterApi,
  happens: (type: ResourceType, name: ObjectName) => Promise<unknown>,
): ClusterApi {
  return interposed(api, async (method, args, call) => {
    if (method === 'get') await happens(args[0] as ResourceType, args[1] as ObjectName);
    return await call();
  });
}

/** The same API; every call except watches goes through `around`. */
export function interposed<Port extends object>(
  port: Port,
  around: (method: string, args: readonly unknown[], call: () => Promise<unknown>) => Promise<unknown>,
): Port {
  return new Proxy(port, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property === 'watch') return value.bind(target);
      return (...args: unknown[]) => around(String(property), args, () => value.apply(target, args));
    },
  });
}

/** The same API, with some of its calls replaced. */
export function withCalls(api: ClusterApi, replaced: Partial<ClusterApi>): ClusterApi {
  return new Proxy(api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(property in replaced ? replaced : target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
