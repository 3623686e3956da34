import { describe, expect, it } from 'vitest';
import { GATEWAY_FINALIZER } from '../../../lib/controllers/control-plane/gateway/gateway-controller.ts';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { DATABASE_FINALIZER } from '../../../lib/controllers/control-plane/managed-database/managed-database-controller.ts';
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

/** Calls a function before the n-th call of the ports that it wraps. */
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
  readonly type: ResourceType;
  prepare(control: ControlPlaneWorld): Promise<KubeObject>;
  /**
   * A deletion. It is interrupted after the pass has read its object and before the pass removes the finalizer: the
   * finalizer stays.
   */
  readonly isDeletion?: boolean;
}

/** For each kind: the spec of the newer generation, and the status and objects when it is reached. */
const NEWER = {
  Gateway: { edit: { replicas: 5 }, ready: 'True AllSatisfied', phase: 'Running', finalizer: GATEWAY_FINALIZER },
  ManagedDatabase: {
    edit: { instances: 3 },
    ready: 'True ClusterReady',
    phase: 'Ready',
    finalizer: DATABASE_FINALIZER,
  },
} as const;

const SITUATIONS: Situation[] = [
  {
    name: 'a first pass of a Gateway',
    type: Gateways,
    prepare: async (control) => {
      await createDatabase(control);
      await settle(control);
      return await createGateway(control);
    },
  },
  {
    name: 'a pass of a Gateway that converges',
    type: Gateways,
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      return await control.world.edit(Gateways, gateway, { spec: { replicas: 1, route: { enabled: false } } });
    },
  },
  {
    name: 'the deletion of a Gateway',
    type: Gateways,
    isDeletion: true,
    prepare: async (control) => {
      const { gateway } = await runningGateway(control);
      await control.world.remove(Gateways, gateway);
      return gateway;
    },
  },
  {
    name: 'a first pass of a ManagedDatabase',
    type: ManagedDatabases,
    prepare: (control) => createDatabase(control),
  },
  {
    name: 'a pass of a ManagedDatabase that converges',
    type: ManagedDatabases,
    prepare: async (control) => {
      const database = await createDatabase(control);
      await settle(control);
      return await control.world.edit(ManagedDatabases, database, { spec: { storage: '20Gi' } });
    },
  },
  ...(['Delete', 'Retain'] as const).map(
    (deletionPolicy): Situation => ({
      name: `the deletion of a ManagedDatabase by ${deletionPolicy}`,
      type: ManagedDatabases,
      isDeletion: true,
      prepare: async (control) => {
        const database = await createDatabase(control, { deletionPolicy });
        await settle(control);
        await control.world.remove(ManagedDatabases, database);
        return database;
      },
    }),
  ),
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
  const { type } = situation;
  const target = await situation.prepare(control);
  const newer = NEWER[type.kind as keyof typeof NEWER];
  let edited: KubeObject | undefined;
  let loaded: KubeObject | undefined;
  const interruption = new Interruption(at, async () => {
    try {
      edited = await world.edit(type, target, { spec: newer.edit });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  });
  holder.interruption = interruption;
  const api = interruption.wrap(world.api);
  const watching = new Proxy(api, {
    get: (target, property) => {
      if (property !== 'get') return Reflect.get(target, property);
      return async (read: ResourceType, ...rest: [{ namespace: string; name: string }]) => {
        const object = await api.get(read, ...rest);
        if (read === type) loaded = object;
        return object;
      };
    },
  });
  const store = interruption.wrap(world.memory);
  const worker = world.worker('interrupted', { store, clusters: { api: () => watching } });
  const event = world.event(type, target, { cause: 'requested' });
  const report = await worker.handle(event);
  delete holder.interruption;
  return { control, target, newer, interruption, edited, loaded, report };
}

for (const situation of SITUATIONS) {
  describe(`R-1.12 R-1.14 a generation that arrives in ${situation.name}`, async () => {
    const { interruption } = await run(situation, -1);
    const cases = Array.from({ length: interruption.calls }, (_, at) => ({ at }));
    it.each(cases)(
      'the pass before does not report a generation as done when it arrives before call $at',
      async ({ at }) => {
        const { control, target, newer, edited, loaded } = await run(situation, at);
        const { world } = control;
        const isNewer = edited !== undefined && (loaded?.metadata.generation ?? 0) < (edited.metadata.generation ?? 0);
        if (isNewer) {
          const now = await world.read(situation.type, target);
          expect(now.metadata.generation).toBe(edited.metadata.generation);
          const told = readConditions(now.status).map(({ observedGeneration }) => observedGeneration);
          expect(told).not.toContain(edited.metadata.generation);
          // The pass wrote nothing of its result over the newer generation.
          expect(now.status).toEqual(edited.status);
          expect(now.metadata.finalizers).toEqual(edited.metadata.finalizers);
          expect(now.metadata.resourceVersion).toBe(edited.metadata.resourceVersion);
          if (situation.isDeletion) expect(now.metadata.finalizers).toEqual([newer.finalizer]);
        }
        await world.clock.advance(60_000);
        await settle(control);
        const { name } = target.metadata;
        const after = await find(control, { type: situation.type, namespace: 'team-a', name });
        expect(after === undefined).toBe(situation.isDeletion === true);
        if (after === undefined) return;
        expect(shown(after).Ready).toBe(newer.ready);
        expect(phaseOf(after)).toBe(newer.phase);
        expect(after.status).toHaveProperty('observedGeneration', after.metadata.generation);
      },
    );
  });
}
