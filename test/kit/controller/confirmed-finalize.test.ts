import { describe, expect, it } from 'vitest';
import { ConfigMaps, type KindContext, settled } from '../../../lib/index.ts';
import { World } from '../../../lib/testing/world.ts';
import { Websites, websiteController } from './websites.ts';

const NAME = { namespace: 'default', name: 'shop' };
const LIMIT = { timeoutMs: 1000 };

type Finalize = (context: KindContext, world: World) => Promise<void>;

/** A website whose deletion was requested. `finalize` does what `body.current` does. */
async function deletedWebsite(first: Finalize) {
  const body = { current: first };
  const finalize = async (_: unknown, context: KindContext): Promise<void> => await body.current(context, world);
  const world: World = new World({
    controllers: [websiteController({ reconcile: async () => settled(), finalize })],
  });
  await world.install([Websites.definition]);
  const created = await world.create(Websites, { metadata: NAME, spec: { host: 'shop.example.com' } });
  const pass = async () => await world.worker().handle(world.event(Websites, created, { cause: 'requested' }));
  await pass();
  await world.remove(Websites, created);
  const isThere = async () => (await world.user.list(Websites)).items.length > 0;
  return { body, pass, isThere };
}

const confirmed: Finalize = async (context) => {
  await context.external('DNS', async () => undefined, { ...LIMIT, confirm: async () => true });
};

const caught = async (effect: Promise<unknown>): Promise<void> => {
  await effect.catch(() => undefined);
};

describe('finalize', () => {
  it.each<[string, Finalize]>([
    [
      'confirm resolved with false and its error was caught',
      async (context) => {
        await caught(context.external('DNS', async () => undefined, { ...LIMIT, confirm: async () => false }));
      },
    ],
    [
      'confirm failed and its error was caught',
      async (context) => {
        const confirm = async () => {
          throw new Error('no answer');
        };
        await caught(context.external('DNS', async () => undefined, { ...LIMIT, confirm }));
      },
    ],
    [
      'an external call failed and its error was caught',
      async (context) => {
        const call = async () => {
          throw new Error('no answer');
        };
        await caught(context.external('DNS', call, LIMIT));
      },
    ],
    [
      'a later external call of the same name was confirmed',
      async (context, world) => {
        await caught(context.external('DNS', async () => undefined, { ...LIMIT, confirm: async () => false }));
        await confirmed(context, world);
      },
    ],
    [
      'an external call was not awaited',
      async (context) => {
        void caught(context.external('DNS', () => new Promise(() => {}), LIMIT));
      },
    ],
    [
      'the read of an absent object failed and its error was caught',
      async (context, world) => {
        world.server.inject({
          match: ({ resource }) => resource === 'configmaps',
          times: 1,
          fault: { status: 500, reason: 'InternalError' },
        });
        await caught(context.absent(ConfigMaps, { namespace: 'other', name: 'shop' }));
      },
    ],
  ])('R-1.15 an object keeps its finalizer, and finalize is called again, when %s', async (_, finalize) => {
    const { body, pass, isThere } = await deletedWebsite(finalize);
    expect(await pass()).toMatchObject({ outcome: 'retry', reason: 'Unconfirmed' });
    expect(await isThere()).toBe(true);
    body.current = confirmed;
    await pass();
    expect(await isThere()).toBe(false);
  });
});
