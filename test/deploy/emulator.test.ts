import { afterAll, beforeAll, describe } from 'vitest';
import { accessAndRemoval } from './scenarios/access-and-removal.suite.ts';
import { convergence } from './scenarios/convergence.suite.ts';
import { costs } from './scenarios/costs.suite.ts';
import type { Deployed } from './scenarios/deployed.ts';
import { manifests } from './scenarios/manifests.suite.ts';
import { operatorCommands } from './scenarios/operator-commands.suite.ts';
import { relayContainer } from './scenarios/relay-container.suite.ts';
import { secondGroup } from './scenarios/second-group.suite.ts';
import { trouble } from './scenarios/trouble.suite.ts';
import { upgrade } from './scenarios/upgrade.suite.ts';
import { CloudWorld } from './support/cloud-world.ts';

let world: CloudWorld | undefined;
let deployed: Deployed;

beforeAll(async () => {
  world = await CloudWorld.start();
  const [, east, west] = await Promise.all([world.deploy(), world.startCluster('east'), world.startCluster('west')]);
  deployed = { world, east, west };
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe('a deployment on an emulator of AWS, with two API servers', () => {
  const before = [convergence, secondGroup, operatorCommands, costs, relayContainer, trouble];
  for (const scenario of [...before, upgrade, manifests, accessAndRemoval]) scenario(() => deployed);
});
