import { z } from 'zod';
import {
  type ControllerDefinition,
  defineController,
  defineGroup,
  defineKind,
  type KindContext,
  settled,
} from '../../../lib/index.ts';

export const Zones = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Zone',
  spec: z.object({ name: z.string().max(253) }),
  status: z.object({ server: z.string(), length: z.int() }),
});

/** A group with a required setting, one with a default, and a secret. */
export const dns = defineGroup({
  name: 'dns',
  about: 'Keeps zones on a DNS server.',
  settings: z.object({
    server: z
      .url()
      .describe('The address of the DNS server.')
      .meta({ examples: ['https://dns.example.com'] }),
    ttl: z.int().min(60).max(86_400).default(300).describe('The lifetime of a record, in seconds.'),
    mode: z.enum(['public', 'private']).optional(),
    limits: z.strictObject({ zones: z.int().min(1).default(100) }).prefault({}),
  }),
  secrets: { 'api-token': 'the token of the DNS account' },
});

export type DnsContext = KindContext<{ server: string; ttl: number }, 'api-token'>;
type Definition = ControllerDefinition<
  { name: string },
  { server: string; length: number },
  readonly [],
  readonly [],
  { server: string },
  'api-token'
>;

/** Shows the server of the settings, and the length of the secret. */
export function zoneController(changes: Partial<Pick<Definition, 'reconcile' | 'finalize'>> = {}) {
  return defineController({
    kind: Zones,
    group: dns,
    async reconcile(_zone, context) {
      const token = await context.secret('api-token');
      return { outcome: settled(), status: { server: context.settings.server, length: token.length } };
    },
    ...changes,
  });
}
