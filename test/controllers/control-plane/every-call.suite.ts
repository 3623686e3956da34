import { describe, expect, it } from 'vitest';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import type { ResourceType } from '../../../lib/core/resource-type.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { IdentityError } from '../../../lib/ports/identity-provider.ts';
import { type CallFault, CallFaults, CrashedError } from '../../../lib/testing/call-faults.ts';
import { playOperators } from '../../support/play-operators.ts';
import { type ControlPlaneWorld, controlPlaneWorld, find, settle } from './control-plane-world.ts';

/** Passes in which each call fails once, in each way. */
export interface Scenario {
  readonly name: string;
  /** Prepares the world for the faulty passes, and returns their target. */
  prepare(control: ControlPlaneWorld): Promise<{ type: ResourceType; object: KubeObject }>;
  /** Checks the final state. */
  check(control: ControlPlaneWorld): Promise<void>;
}

const MAX_PASSES = 12;

/** Runs one worker's passes of one target, with the operators in between, until nothing changes or the worker dies. */
async function runFaulty(scenario: Scenario, faults: CallFaults): Promise<ControlPlaneWorld> {
  const arming = { on: false };
  const unanswered = (method: string) => new IdentityError('Timeout', `${method} was not answered`);
  const control = await controlPlaneWorld({
    wrapIdentity: (provider) => {
      const faulty = faults.wrap(provider, 'identity', unanswered);
      return new Proxy(provider, {
        get: (_, property) => {
          const port = arming.on ? faulty : provider;
          const value: unknown = Reflect.get(port, property);
          return typeof value === 'function' ? value.bind(port) : value;
        },
      });
    },
  });
  const { world } = control;
  const { type, object } = await scenario.prepare(control);
  const infrastructure = (method: string) => new InfrastructureError(`${method} was not answered`);
  const faulty = world.worker('faulty', {
    store: faults.wrap(world.memory, 'store', infrastructure),
    wakes: faults.wrap(world.wakes, 'wakes', infrastructure),
    clusters: {
      api: () => faults.wrap(world.api, 'api', (method) => new ApiError('Timeout', `${method} was not answered`)),
    },
  });
  arming.on = true;
  for (let pass = 0; pass < MAX_PASSES && !faults.crashed; pass += 1) {
    try {
      await faulty.handle(world.event(type, object, { cause: 'requested' }));
    } catch (error) {
      if (!(error instanceof CrashedError || error instanceof InfrastructureError)) throw error;
    }
    await world.server.idle();
    const played = await playOperators(world.user);
    if (played === 0 && world.reports.at(-1)?.writes === 0 && faults.hit === undefined) break;
  }
  arming.on = false;
  // The next worker starts after the lease of the dead one, and knows only what is stored.
  await world.clock.advance(60_000);
  await settle(control);
  // The relay sends an event of a deletion, or resync finds it.
  if (
    (await find(control, { type, namespace: object.metadata.namespace ?? '', name: object.metadata.name })) ===
    undefined
  ) {
    await world.worker().handle(world.event(type, object, { cause: 'deleted' }));
  }
  return control;
}

/** One test for each call of the scenario and each fault. */
export function describeEveryCall(scenario: Scenario): void {
  describe(`R-1.15 R-1.20 R-3.1 R-3.3 R-3.5 R-5.5 ${scenario.name}, with a fault at every call`, async () => {
    const probe = new CallFaults();
    await scenario.check(await runFaulty(scenario, probe));
    const cases = (['crash-before', 'crash-after', 'lose-answer', 'fail'] as CallFault[]).flatMap((fault) =>
      Array.from({ length: probe.calls }, (_, at) => ({ fault, at })),
    );
    it.each(cases)(
      'everything converges, and nothing is duplicated or left over, when $fault hits call $at',
      async ({ fault, at }) => {
        const faults = new CallFaults(at, fault);
        const control = await runFaulty(scenario, faults);
        expect(faults.hit).toBeDefined();
        await scenario.check(control);
        expect(control.world.memory.contents().targets.every(({ lease }) => lease === undefined)).toBe(true);
      },
    );
  });
}
