import type { ProjectNames } from './project-names.ts';

/** The sources of a new project: one kind, one controller, and their tests. */
export function controllerFiles(names: ProjectNames): Readonly<Record<string, string>> {
  return {
    'controllers.ts': controllers(names),
    'definition.ts': definition(names),
    'controllers.test.ts': unitTest(names),
    'controllers.simulation.test.ts': simulationTest(names),
  };
}

function controllers({ group, kind, plural, constant, controller }: ProjectNames): string {
  const variable = controller.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return `import {
  apiVersion,
  ConfigMaps,
  type Controller,
  isOwnedBy,
  type KubeObject,
  mergeConditions,
  type ReconcileContext,
  type ReconcileResult,
  readConditions,
  type ResourceType,
  settled,
  TerminalError,
} from 'evenkeel';
import { z } from 'zod';
import { definition } from './definition.ts';

export const ${constant}: ResourceType = {
  group: '${group}',
  version: 'v1',
  plural: '${plural}',
  kind: '${kind}',
  namespaced: true,
};

const specSchema = z.object({ message: z.string().min(1) });

const ${variable}: Controller = {
  name: '${controller}',
  group: '${controller}',
  type: ${constant},
  owns: [ConfigMaps],
  reads: [],
  conditions: ['Ready'],
  // Raise it when the code decides differently: then every object gets a pass.
  version: '1',
  reconcile,
};

export const controllers = [${variable}];
export const definitions = [definition];

/** Writes the message of a ${kind} into a ConfigMap of the same name. */
async function reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
  const spec = specSchema.safeParse(object.spec);
  if (!spec.success) throw new TerminalError('InvalidSpec', z.prettifyError(spec.error));
  await ensureConfigMap(object, spec.data.message, context);
  const generation = object.metadata.generation ?? 0;
  const ready = { type: 'Ready', status: 'True', reason: 'Published', message: spec.data.message } as const;
  const conditions = mergeConditions(readConditions(object.status), [ready], generation, context.nowMs);
  return { outcome: settled(), status: { observedGeneration: generation, conditions } };
}

async function ensureConfigMap(object: KubeObject, message: string, context: ReconcileContext): Promise<void> {
  const { name, uid, namespace = '' } = object.metadata;
  const owner = { apiVersion: apiVersion(${constant}), kind: ${constant}.kind, name, uid, controller: true };
  const desired = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, ownerReferences: [owner] },
    data: { message },
  };
  const observed = await context.get(ConfigMaps, { namespace, name });
  if (observed === undefined) await context.create(ConfigMaps, desired);
  else if (isOwnedBy(observed, uid)) await context.apply(ConfigMaps, observed, desired);
  else throw new TerminalError('OwnershipConflict', \`ConfigMap \${name} exists and has another owner\`);
}
`;
}

function definition({ group, kind, plural, singular }: ProjectNames): string {
  return `/** The CustomResourceDefinition of ${kind}. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: '${plural}.${group}' },
  spec: {
    group: '${group}',
    scope: 'Namespaced',
    names: { plural: '${plural}', singular: '${singular}', kind: '${kind}', listKind: '${kind}List' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Message', type: 'string', jsonPath: '.spec.message' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: { type: 'object', required: ['message'], properties: { message: { type: 'string', minLength: 1 } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
`;
}

function unitTest({ kind, constant }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMaps } from 'evenkeel';
import { World } from 'evenkeel/testing';
import { controllers, definitions, ${constant} } from './controllers.ts';

const place = { namespace: 'default', name: 'hello' };

test('a ${kind} gets a ConfigMap with its message, and keeps it right', async () => {
  const world = new World({ controllers });
  await world.install(definitions);
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
import { controllers, definitions, ${constant} } from './controllers.ts';

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
    definitions,
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
