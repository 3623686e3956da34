import { describe, expect, it } from 'vitest';
import { planLines } from '../../cli/plan/plan-text.ts';
import { exitCodeOf } from '../../cli/plan.ts';
import { KubernetesClusterApi } from '../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import { CustomResourceDefinitions, kindId, type ResourceType } from '../../lib/core/resource-type.ts';
import { ApiError, type ClusterApi } from '../../lib/ports/cluster-api.ts';
import { World } from '../../lib/testing/world.ts';
import { WIDGET_DEFINITION } from '../support/widget.ts';
import { createWidget, planWorld, release, settledWorld, shown } from './planned-widgets.ts';

const NAME = 'widgets.test.evenkeel.dev';
const first = release('1', () => ({ greeting: 'hello' }));

/** The definition of widgets with another schema of `spec`. */
function withSpec(spec: object) {
  const definition = structuredClone(WIDGET_DEFINITION);
  const [version] = definition.spec.versions;
  if (version === undefined) throw new Error('the definition has no version');
  const { properties } = version.schema.openAPIV3Schema;
  version.schema.openAPIV3Schema.properties = { ...properties, spec: { type: 'object', ...spec } as never };
  return new Map([[NAME, definition]]);
}

/** The API of a cluster that answers one verb for widgets with 404. */
function withoutKind(world: World, verb: 'get' | 'list'): ClusterApi {
  const live = new KubernetesClusterApi({ transport: world.server, clock: world.clock, userAgent: 'evenkeel-plan' });
  const refuse = (type: ResourceType, refused: boolean) => {
    if (refused && kindId(type) === NAME) throw new ApiError('KindMissing', `${verb} widgets: 404 KindMissing`);
  };
  const get: ClusterApi['get'] = async (type, name, options) => {
    refuse(type, verb === 'get');
    return await live.get(type, name, options);
  };
  const list: ClusterApi['list'] = async (type, options) => {
    refuse(type, verb === 'list');
    return await live.list(type, options);
  };
  return Object.assign(Object.create(live) as ClusterApi, { get, list });
}

describe('a plan of definitions', () => {
  it('R-6.11 plan reports no definition when the planned one is the one that the cluster has', async () => {
    const world = await settledWorld(first, ['a']);
    const definitions = new Map([[NAME, WIDGET_DEFINITION]]);
    const { report } = await planWorld(world, first, { definitions });
    expect(report).toMatchObject({ definitions: [], objects: [], errors: [], unchanged: 1 });
  });

  it('R-6.11 plan names the stored objects that a new schema makes invalid, takes fields from, or gives defaults to', async () => {
    const world = await settledWorld(first, ['a']);
    await createWidget(world, 'b', { size: 12, colour: 'red' });
    const definitions = withSpec({
      properties: { size: { type: 'integer', maximum: 10 }, shape: { type: 'string', default: 'round' } },
    });
    const { report } = await planWorld(world, first, { definitions });
    expect(report.definitions).toEqual([
      {
        name: NAME,
        objects: [
          { namespace: 'default', name: 'a', invalid: [], lost: [], gained: ['spec.shape'] },
          {
            namespace: 'default',
            name: 'b',
            invalid: [{ path: 'spec.size', reason: 'FieldValueInvalid' }],
            lost: ['spec.colour'],
            gained: ['spec.shape'],
          },
        ],
      },
    ]);
    expect(shown(report)).toContain(`applied customresourcedefinitions.apiextensions.k8s.io ${NAME}`);
    const { spec } = await world.user.get(CustomResourceDefinitions, { namespace: '', name: NAME });
    expect(JSON.stringify(spec)).not.toContain('round');
  });

  it('R-6.11 plan lists a definition that the cluster has not, and plans its objects as absent', async () => {
    const world = await settledWorld(first, ['a']);
    const other = structuredClone(WIDGET_DEFINITION);
    other.metadata.name = 'gadgets.test.evenkeel.dev';
    Object.assign(other.spec.names, { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' });
    const { report } = await planWorld(world, first, { definitions: new Map([[other.metadata.name, other]]) });
    expect(shown(report)).toEqual([`created customresourcedefinitions.apiextensions.k8s.io ${other.metadata.name}`]);
    expect(report).toMatchObject({ definitions: [], errors: [], unchanged: 1 });
  });

  it('R-6.11 plan reports no change, and which definitions it could not compare, when CRDs may not be read', async () => {
    const world = await settledWorld(first, ['a']);
    world.server.deny({ resource: 'customresourcedefinitions' });
    const definitions = new Map([[NAME, WIDGET_DEFINITION]]);
    const { report } = await planWorld(world, first, { definitions });
    expect(report).toMatchObject({ changed: 0, objects: [], definitions: [], errors: [], unchanged: 1 });
    expect(report.uncomparedDefinitions).toEqual([NAME]);
    expect(exitCodeOf(report)).toBe(0);
    expect(planLines(report)).toContain(
      `unknown ${NAME}: its CustomResourceDefinition could not be compared, because it may not be read`,
    );
  });

  it('R-6.11 plan still reports the objects that change when CRDs may not be read', async () => {
    const world = await settledWorld(first, ['a']);
    world.server.deny({ resource: 'customresourcedefinitions' });
    const next = release('2', () => ({ greeting: 'bye' }));
    const definitions = withSpec({ properties: { size: { type: 'integer', maximum: 10 } } });
    const { report } = await planWorld(world, next, { definitions });
    expect(shown(report)).toEqual(['applied configmaps a']);
    expect(report).toMatchObject({ definitions: [], errors: [], uncomparedDefinitions: [NAME] });
  });

  it('R-6.11 plan shows a kind as new and without errors when the cluster lacks the CRD of a kind that is reconciled', async () => {
    const world = new World({ controllers: [first] });
    const definitions = new Map([[NAME, WIDGET_DEFINITION]]);
    const { report } = await planWorld(world, first, { definitions });
    expect(shown(report)).toEqual([`created customresourcedefinitions.apiextensions.k8s.io ${NAME}`]);
    expect(report).toMatchObject({ errors: [], changed: 1 });
  });

  it('R-1.17 plan reports an error when the cluster lacks the CRD of a kind and the planned version does not bring it', async () => {
    const world = new World({ controllers: [first] });
    const { report } = await planWorld(world, first);
    expect(report).toMatchObject({
      objects: [],
      errors: [{ kind: NAME, error: expect.stringContaining('KindMissing') }],
    });
  });

  it.each([
    ['the list answers 404', 'list', false, { name: '' }],
    ['the list answers 404 and the CRD cannot be read', 'list', true, { name: '' }],
    ['the read of an object answers 404', 'get', false, { name: 'a' }],
  ] as const)(
    'R-1.17 plan reports an error when the CRD of a planned kind may exist and a read of the kind fails: %s',
    async (_, verb, isForbidden, error) => {
      const world = await settledWorld(first, ['a']);
      if (isForbidden) world.server.deny({ verb: 'get', resource: 'customresourcedefinitions' });
      const definitions = new Map([[NAME, WIDGET_DEFINITION]]);
      const { report } = await planWorld(world, first, { definitions, live: withoutKind(world, verb) });
      expect(report.errors).toContainEqual(expect.objectContaining({ kind: NAME, ...error }));
      expect(report.unchanged).toBe(0);
    },
  );

  it('R-6.4 plan names a definition that the API server would refuse', async () => {
    const world = await settledWorld(first, ['a']);
    const { report } = await planWorld(world, first, { definitions: withSpec({ properties: { size: {} } }) });
    expect(report.errors).toContainEqual(expect.objectContaining({ kind: NAME, name: '' }));
    expect(report.objects).toEqual([]);
  });
});
