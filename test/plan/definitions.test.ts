import { describe, expect, it } from 'vitest';
import { planLines } from '../../cli/plan/plan-text.ts';
import { exitCodeOf } from '../../cli/plan.ts';
import { CustomResourceDefinitions } from '../../lib/core/resource-type.ts';
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

  it('R-6.4 plan names a definition that the API server would refuse', async () => {
    const world = await settledWorld(first, ['a']);
    const { report } = await planWorld(world, first, { definitions: withSpec({ properties: { size: {} } }) });
    expect(report.errors).toContainEqual(expect.objectContaining({ kind: NAME, name: '' }));
    expect(report.objects).toEqual([]);
  });
});
