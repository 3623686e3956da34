import { z } from 'zod';
import { noted } from '../../../../lib/controllers/field-note.ts';
import type { ControllerGroup } from '../../../../lib/controllers/group.ts';
import { type Clients, lanternController } from './lantern-controller.ts';
import { LANTERN_DEFINITION, Lanterns } from './lanterns.ts';

const section = z.strictObject({
  colour: noted(z.enum(['red', 'green']).prefault('red'), {
    about: 'The colour of its light.',
    allowed: 'red or green',
    example: 'green',
  }),
  oilFile: noted(z.string().optional(), { about: 'A file with its oil.', allowed: 'a file', example: '/oil' }),
});
type Section = z.output<typeof section>;

/** A group that no release contains. It consists of its folder and one line. */
export const lantern: ControllerGroup<Section, Clients> = {
  name: 'lantern',
  about: 'Lights lanterns.',
  pages: ['docs/controllers/lantern.md'],
  kinds: [{ type: Lanterns, definition: LANTERN_DEFINITION }],
  section,
  files: [{ path: ['oilFile'], inCloud: 'a deployment makes its oil. Leave it out.' }],
  secrets: [
    {
      name: 'lantern-oil',
      what: 'the oil of lanterns',
      why: 'Burns in lanterns',
      madeBy: 'deployment',
      statement: 'ReadLanternOil',
      file: ['oilFile'],
      isNeeded: ({ colour }) => colour === 'green',
    },
  ],
  clients: {
    connect: ({ colour }) => ({ clients: { match: () => `a ${colour} flame` }, close: async () => {} }),
  },
  permissions: {
    reconcile: [
      { why: 'One at a time.', apiGroups: ['test.evenkeel.dev'], resources: ['lanterns'], verbs: ['get'] },
      { apiGroups: ['test.evenkeel.dev'], resources: ['lanterns/status'], verbs: ['patch'] },
    ],
    relay: [{ apiGroups: ['test.evenkeel.dev'], resources: ['lanterns'], verbs: ['list', 'watch'] }],
    additional: [
      {
        name: 'oil',
        isNeeded: ({ colour }) => colour === 'green',
        reconcile: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        relay: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }],
      },
    ],
  },
  checks: {
    async cluster({ colour }, api) {
      const { items } = await api.list(Lanterns, { limit: 10 });
      return [{ level: 'note', text: `${items.length} lanterns burn ${colour}` }];
    },
    async inventory(_section, inventory) {
      let known = 0;
      for await (const _ of inventory(Lanterns)) known += 1;
      return [{ level: 'ok', text: `${known} lanterns are known` }];
    },
  },
  controllers: (_section, { secret, clients }) => [lanternController(secret('lantern-oil'), clients)],
};
