import type { ProjectNames } from './project-names.ts';

/** The sources of a new project: one kind, one controller, and their tests. */
export function controllerFiles(names: ProjectNames): Readonly<Record<string, string>> {
  return {
    'controllers.ts': controllers(names),
    'controllers.test.ts': unitTest(names),
    'controllers.simulation.test.ts': simulationTest(names),
  };
}

function controllers({ group, kind, plural, constant, controller, variable }: ProjectNames): string {
  return `import { ConfigMaps, defineController, defineKind, settled } from 'evenkeel';
import { z } from 'zod';

/** One schema gives the types of a ${kind}, its CRD and its validation. */
export const ${constant} = defineKind({
  group: '${group}',
  version: 'v1',
  kind: '${kind}',
  plural: '${plural}',
  spec: z.object({ message: z.string().min(1).max(200) }),
  status: z.object({ length: z.int() }),
  columns: [{ name: 'Message', jsonPath: '.spec.message' }],
});

/** Writes the message of a ${kind} into a ConfigMap of the same name. */
const ${variable} = defineController({
  kind: ${constant},
  name: '${controller}',
  owns: [ConfigMaps],
  // Raise it when the code decides differently: then every object gets a pass.
  version: '1',
  async reconcile({ metadata, spec }, context) {
    const { message } = spec;
    await context.ensure(ConfigMaps, metadata.name, { data: { message } });
    return { outcome: settled(), status: { length: message.length } };
  },
});

export const controllers = [${variable}];
`;
}

function unitTest({ kind, constant }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMaps } from 'evenkeel';
import { World } from 'evenkeel/testing';
import { controllers, ${constant} } from './controllers.ts';

const place = { namespace: 'default', name: 'hello' };

test('a ${kind} gets a ConfigMap with its message, and keeps it right', async () => {
  const world = new World({ controllers });
  await world.install([${constant}.definition]);
  const created = await world.create(${constant}, { metadata: place, spec: { message: 'ahoy' } });
  await world.settle();
  assert.deepEqual((await world.user.get(ConfigMaps, place)).data, { message: 'ahoy' });

  await world.edit(${constant}, created, { spec: { message: 'hello' } });
  await world.settle();
  assert.deepEqual((await world.user.get(ConfigMaps, place)).data, { message: 'hello' });

  const copy = await world.user.get(ConfigMaps, place);
  await world.edit(ConfigMaps, copy, { data: { message: 'edited by hand' } });
  await world.settle();
  assert.deepEqual((await world.user.get(ConfigMaps, place)).data, { message: 'hello' });
});
`;
}

function simulationTest({ kind, constant }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMaps } from 'evenkeel';
import { type ClusterView, simulate, type User } from 'evenkeel/testing';
import { controllers, ${constant} } from './controllers.ts';

const named = (user: User) => ({ namespace: 'default', name: user.pick(['a', 'b']) });
const spec = (user: User) => ({ message: user.pick(['ahoy', 'hello']) });

/** Finds errors from the objects alone; it shares no code with the controller. */
function check(cluster: ClusterView): string[] {
  return cluster.list(${constant}).flatMap(({ metadata: { namespace = '', name }, spec }) => {
    const { message } = spec as { message: string };
    const found = (cluster.get(ConfigMaps, { namespace, name })?.data as { message?: string } | undefined)?.message;
    return found === message ? [] : [\`\${name} has the message '\${found}' instead of '\${message}'\`];
  });
}

test('each ${kind} has its ConfigMap in the end when anything fails in between', async () => {
  const report = await simulate({
    controllers,
    definitions: [${constant}.definition],
    actions: {
      'writes one': (user) => user.put(${constant}, { metadata: named(user), spec: spec(user) }),
      'deletes one': (user) => user.remove(${constant}, named(user)),
      'recreates one': (user) => user.replace(${constant}, { metadata: named(user), spec: spec(user) }),
      'edits a ConfigMap by hand': (user) => user.edit(ConfigMaps, named(user), { data: { message: 'edited' } }),
    },
    check,
  });
  assert.equal(report.failure, undefined, report.failure?.timeline);
});
`;
}
