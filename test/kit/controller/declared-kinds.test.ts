import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  ConfigMaps,
  type DeclaredContext,
  Deployments,
  type DesiredOf,
  defineController,
  defineKind,
  type KindContext,
  type Pods,
  type ResourceType,
  type Secret,
  Secrets,
  StatefulSets,
  settled,
} from '../../../lib/index.ts';
import { World } from '../../../lib/testing/world.ts';

const NAME = { namespace: 'default', name: 'one' };
const Mirrors = defineKind({ group: 'example.com', version: 'v1', kind: 'Mirror', spec: z.object({}) });

/** Owns ConfigMaps, and reads Secrets and StatefulSets. */
type Context = DeclaredContext<typeof ConfigMaps, typeof Secrets | typeof StatefulSets>;

/** Runs one pass of a Mirror, and returns what a call of its context returned or threw. */
async function inPass<Result>(call: (context: Context) => Promise<Result>): Promise<Result | Error> {
  let result: Result | Error | undefined;
  const mirror = defineController({
    kind: Mirrors,
    owns: [ConfigMaps],
    reads: [Secrets, { type: StatefulSets, mode: 'watch' }],
    async reconcile(_, context) {
      expectTypeOf(context).toEqualTypeOf<Context>();
      result = await call(context).catch((error: Error) => error);
      return settled();
    },
  });
  const world = new World({ controllers: [mirror] });
  await world.install([Mirrors.definition]);
  await world.create(Secrets, { metadata: NAME, stringData: { style: 'loud' } });
  const created = await world.create(Mirrors, { metadata: NAME, spec: {} });
  await world.worker().handle(world.event(Mirrors, created, { cause: 'requested' }));
  if (result === undefined) throw new Error('reconcile was not called, or its call returned nothing');
  return result;
}

// What must not compile is checked by tsc in `npm run check`: an expected error that does not occur is an error.
describe('the kinds that a controller declares', () => {
  it.each<[call: string, make: (context: Context) => Promise<unknown>, code: string]>([
    // @ts-expect-error Deployments are not declared.
    ['gets a kind that is not declared', (context) => context.get(Deployments, 'one'), 'UNDECLARED_READ'],
    // @ts-expect-error Deployments are not declared.
    ['lists a kind that is not declared', (context) => context.list(Deployments), 'UNDECLARED_READ'],
    // @ts-expect-error Mirrors are not declared.
    ['gets its own kind, which is not declared', (context) => context.get(Mirrors, 'one'), 'UNDECLARED_READ'],
    // @ts-expect-error Secrets are only read.
    ['ensures a kind that it only reads', (context) => context.ensure(Secrets, 'one', {}), 'UNDECLARED_KIND'],
    // @ts-expect-error Secrets are only read.
    ['removes a kind that it only reads', (context) => context.absent(Secrets, 'one'), 'UNDECLARED_KIND'],
    [
      'gets a kind that the compiler cannot distinguish',
      (context) => context.get(Deployments as ResourceType, 'one'),
      'UNDECLARED_READ',
    ],
  ])('R-6.9 a pass fails with a clear error when it %s', async (_call, make, code) => {
    expect(await inPass(make)).toMatchObject({ code, message: expect.stringMatching(/its definition|in its owns/) });
  });

  it('R-6.9 context.get returns the fields of a Secret when its kind is in reads', async () => {
    const secret = await inPass((context) => context.get(Secrets, 'one'));
    expectTypeOf(secret).toEqualTypeOf<Secret | undefined | Error>();
    expect(secret).toMatchObject({ data: { style: Buffer.from('loud').toString('base64') } });
  });

  it('R-6.9 a function that takes a KindContext takes the context of a controller when the controller declares its kinds', async () => {
    const helper = async (context: KindContext) => await context.ensure(ConfigMaps, 'one', { data: { a: '1' } });
    expect(await inPass(helper)).toMatchObject({ data: { a: '1' } });
  });

  it('R-6.9 an object of a built-in kind compiles only with fields and words of the API when it is written', () => {
    const container = {
      name: 'web',
      image: 'nginx:1',
      env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    };
    const labels = { app: 'web' };
    const spec: DesiredOf<typeof StatefulSets>['spec'] = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: undefined } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }],
      // @ts-expect-error no such word.
      podManagementPolicy: 'OneByOne',
    };
    // @ts-expect-error no such field.
    const misspelled: DesiredOf<typeof Pods> = { spec: { container: [container] } };
    expect([spec.selector, Object.keys(misspelled)]).toEqual([{ matchLabels: labels }, ['spec']]);
  });
});
