import { describe, expect, it } from 'vitest';
import { Gateways } from '../../../lib/controllers/control-plane/kinds.ts';
import { readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { isApiError } from '../../../lib/ports/cluster-api.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  find,
  phaseOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

/** Calls something before the n-th call of the ports that it wraps. */
class Interruption {
  calls = 0;
  private readonly at: number;
  private readonly act: () => Promise<void>;

  constructor(at: number, act: () => Promise<void>) {
    this.at = at;
    this.act = act;
  }

  wrap<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const isHere = this.calls === this.at;
          this.calls += 1;
          if (isHere) await this.act();
          return await value.apply(target, args);
        };
      },
    });
  }
}

interface Situation {
  readonly name: string;
  prepare(control: ControlPlaneWorld): Promise<KubeObject>;
  /** What the pass that was interrupted must not have brought about. */
  check(control: ControlPlaneWorld, gateway: KubeObject): Promise<void>;
}

const SITUATIONS: Situation[] = [
  {
    name: 'a first pass',
    prepare: async (control) => {
      await createDatabase(control);
      await settle(control);
      return await createGateway(control);
    },
    check: async () => undefined,
  },
  {
    name: 'a pass that converges',
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      return await control.world.edit(Gateways, gateway, { spec: { replicas: 1, route: { enabled: false } } });
    },
    check: async () => undefined,
  },
  {
    name: 'a deletion',
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      await control.world.remove(Gateways, gateway);
      return gateway;
    },
    check: async (control) => {
      // Interrupted after it read the Gateway, and before it let it go: the finalizer stays.
      const left = await find(control, { type: Gateways, namespace: 'team-a', name: 'edge' });
      expect(left?.metadata.finalizers).toEqual(['hypershell.evenkeel.dev/gateway']);
    },
  },
];

async function run(situation: Situation, at: number) {
  const holder: { interruption?: Interruption } = {};
  const control = await controlPlaneWorld({
    wrapIdentity: (provider) =>
      new Proxy(provider, {
        get: (target, property) => {
          const port = holder.interruption?.wrap(target) ?? target;
          const value: unknown = Reflect.get(port, property);
          return typeof value === 'function' ? value.bind(port) : value;
        },
      }),
  });
  const { world } = control;
  const gateway = await situation.prepare(control);
  let edited: KubeObject | undefined;
  let loaded: KubeObject | undefined;
  const interruption = new Interruption(at, async () => {
    try {
      edited = await world.edit(Gateways, gateway, { spec: { replicas: 5 } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  });
  holder.interruption = interruption;
  const api = interruption.wrap(world.api);
  const watching = new Proxy(api, {
    get: (target, property) => {
      if (property !== 'get') return Reflect.get(target, property);
      return async (type: ResourceType, ...rest: [{ namespace: string; name: string }]) => {
        const object = await api.get(type, ...rest);
        if (type === Gateways) loaded = object;
        return object;
      };
    },
  });
  const store = interruption.wrap(world.memory);
  const worker = world.worker('interrupted', { store, clusters: { api: () => watching } });
  const event = world.event(Gateways, gateway, { cause: 'requested' });
  const report = await worker.handle(event);
  delete holder.interruption;
  return { control, gateway, interruption, edited, loaded, report };
}

for (const situation of SITUATIONS) {
  describe(`R-1.12 R-1.14 a generation that arrives in ${situation.name}`, async () => {
    const { interruption } = await run(situation, -1);
    const cases = Array.from({ length: interruption.calls }, (_, at) => ({ at }));
    it.each(cases)('before call $at is never told to be done by the pass of the one before', async ({ at }) => {
      const { control, gateway, edited, loaded } = await run(situation, at);
      const { world } = control;
      const isNewer = edited !== undefined && (loaded?.metadata.generation ?? 0) < (edited.metadata.generation ?? 0);
      if (isNewer) {
        const now = await world.read(Gateways, gateway);
        expect(now.metadata.generation).toBe(edited.metadata.generation);
        const told = readConditions(now.status).map(({ observedGeneration }) => observedGeneration);
        expect(told).not.toContain(edited.metadata.generation);
        expect(now.status ?? {}).not.toHaveProperty('observedGeneration', edited.metadata.generation);
        await situation.check(control, gateway);
      }
      await world.clock.advance(60_000);
      await settle(control);
      const after = await find(control, { type: Gateways, namespace: 'team-a', name: 'edge' });
      if (after === undefined) return expect(gateway.metadata.uid).toBeDefined();
      expect(shown(after).Ready).toBe('True AllSatisfied');
      expect(phaseOf(after)).toBe('Running');
      expect(after.status).toHaveProperty('observedGeneration', after.metadata.generation);
    });
  });
}
