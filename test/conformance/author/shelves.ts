import { ConfigMaps, defineController, defineKind, progressing, type ResourceType, Secrets, settled } from 'evenkeel';
import { z } from 'zod';

/** In no namespace: the role for it is bound for the whole cluster. */
export const StorageClasses = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
} as const satisfies ResourceType;

export const Shelves = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  spec: z.object({
    title: z.string().max(100),
    isEmpty: z.boolean().default(false),
    isOpen: z.boolean().default(true),
  }),
  status: z.object({ secrets: z.int(), own: z.int(), classes: z.int(), phase: z.string() }),
});

/** Makes the calls that the Website example does not make: lists, `absent` in reconcile, and reads of a kind in no namespace. */
export const shelf = defineController({
  kind: Shelves,
  owns: [ConfigMaps],
  reads: [Secrets, StorageClasses],
  async reconcile({ metadata: { name }, spec }, context) {
    await context.get(Secrets, 'password');
    const [secrets, classes] = [await context.list(Secrets), await context.list(StorageClasses)];
    const phase = (await context.get(StorageClasses, { namespace: '', name: 'fast' })) === undefined ? 'slow' : 'fast';
    if (spec.isEmpty) await context.absent(ConfigMaps, name);
    else await context.ensure(ConfigMaps, name, { data: { title: spec.title } });
    const left = await context.list(ConfigMaps);
    const counts = { secrets: secrets.length, own: left.length, classes: classes.length };
    const outcome = spec.isOpen ? settled() : progressing('Closed', 'It is closed.');
    return { outcome, status: { ...counts, phase } };
  },
});

export const controllers = [shelf];
