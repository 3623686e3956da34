import { afterAll, beforeAll, describe } from 'vitest';
import { SystemClock } from '../../lib/adapters/system/system-clock.ts';
import type { DesiredObject } from '../../lib/core/kube-object.ts';
import { installDefinitions } from '../../lib/deployment/kubernetes/install-definitions.ts';
import { PROVIDER_DEFINITIONS } from '../support/control-plane-definitions.ts';
import { accessAndRemoval } from './scenarios/access-and-removal.suite.ts';
import { convergence } from './scenarios/convergence.suite.ts';
import { costs } from './scenarios/costs.suite.ts';
import type { Deployed } from './scenarios/deployed.ts';
import { manifests } from './scenarios/manifests.suite.ts';
import { operatorCommands } from './scenarios/operator-commands.suite.ts';
import { relayContainer } from './scenarios/relay-container.suite.ts';
import { secondGroup } from './scenarios/second-group.suite.ts';
import { thirdGroup } from './scenarios/third-group.suite.ts';
import { throttled } from './scenarios/throttled.suite.ts';
import { trouble } from './scenarios/trouble.suite.ts';
import { upgrade } from './scenarios/upgrade.suite.ts';
import { CloudWorld } from './support/cloud-world.ts';
import { IdentityServer } from './support/identity-server.ts';

let world: CloudWorld | undefined;
let identity: IdentityServer | undefined;
let deployed: Deployed;

beforeAll(async () => {
  world = await CloudWorld.start();
  identity = await IdentityServer.start(world);
  const [, east, west] = await Promise.all([world.deploy(), world.startCluster('east'), world.startCluster('west')]);
  for (const { cluster } of [east, west]) {
    await installDefinitions(cluster.user, PROVIDER_DEFINITIONS as DesiredObject[], new SystemClock(), () => {});
  }
  deployed = { world, east, west, identity };
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await identity?.[Symbol.asyncDispose]();
});

describe('a deployment on an emulator of AWS, with two API servers', () => {
  const before = [convergence, secondGroup, thirdGroup, operatorCommands, costs, relayContainer, trouble, throttled];
  for (const scenario of [...before, upgrade, manifests, accessAndRemoval]) scenario(() => deployed);
});
