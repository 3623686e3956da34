import type { Controller } from '../../../lib/core/controller.ts';
import { type PlannedWrites, plannedWrites } from '../../../lib/core/planned-writes.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { RolloutShare, type RolloutStage } from '../../../lib/core/rollout.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { resyncCluster } from '../../../lib/engine/resync/resync-cluster.ts';
import { TEST_CLUSTER, type World } from '../../../lib/testing/world.ts';
import { planWorld, Widgets } from '../../plan/planned-widgets.ts';

/** A deployment that runs one version and rolls out another. */
export class RollingOut {
  readonly registry: Registry;
  readonly #world: World;
  #tick = 0;

  constructor(
    world: World,
    current: Controller,
    next?: { controller: Controller; stages: readonly RolloutStage[]; planned?: PlannedWrites },
    active?: readonly RolloutStage[],
  ) {
    this.#world = world;
    this.registry = new Registry(
      [current],
      next === undefined
        ? []
        : [
            {
              next: next.controller,
              share: new RolloutShare(next.controller.version, next.stages),
              ...(next.planned !== undefined && { planned: next.planned }),
            },
          ],
      active,
    );
  }

  /** After five minutes resync compares once. Every message that it sends is handled. */
  async resync(): Promise<void> {
    const { api, store, sender, clock, logger, metrics } = this.#world;
    await clock.advance(300_000);
    await this.drain();
    this.#tick += 1;
    const deps = { cluster: TEST_CLUSTER, api, store, sender, registry: this.registry, scope: {} };
    await resyncCluster({ ...deps, clock, logger, metrics, tick: this.#tick, signal: new AbortController().signal });
    await this.drain();
  }

  /** A user changes a widget. */
  async edit(name: string, size: number): Promise<void> {
    const widget = await this.#world.read(Widgets, {
      metadata: { namespace: 'default', name, uid: '', resourceVersion: '' },
    });
    const edited = await this.#world.edit(Widgets, widget, { spec: { size } });
    await this.#world.worker('worker-1', { registry: this.registry }).handle(this.#world.event(Widgets, edited));
  }

  drain(): Promise<void> {
    return this.#world.drain(this.#world.worker('worker-1', { registry: this.registry }));
  }

  /** The version that reconciled each widget last, by name. */
  versions(): Record<string, string | undefined> {
    const { targets } = this.#world.memory.contents();
    return Object.fromEntries(
      targets
        .map(({ target, reconcilerVersion }) => [target.name, reconcilerVersion] as const)
        .sort(([one], [other]) => one.localeCompare(other)),
    );
  }

  async halt() {
    return (await this.#world.store.readCluster(TEST_CLUSTER)).halts?.[kindId(Widgets)];
  }
}

/** The writes in the plan of this version, in the form that an installation reads from the plan's JSON. */
export async function planOf(world: World, next: Controller): Promise<PlannedWrites> {
  const { report } = await planWorld(world, next);
  return plannedWrites(JSON.parse(JSON.stringify(report.writes)));
}

/** The writes to the cluster so far: `patch configmaps a`. */
export function writesOf(world: World): string[] {
  const writes = world.server.requests.writes({ userAgent: 'evenkeel' });
  return writes.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}
