import { afterEach, describe, expect, it } from 'vitest';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { type ListeningStandIn, listenStandIn } from '../../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';
import { cloudGroupParts } from '../../../lib/deployment/cloud/cloud-group-parts.ts';
import { defaultSettings } from '../../../lib/deployment/settings/load-settings.ts';
import { settingsSchema } from '../../../lib/deployment/settings/settings-schema.ts';
import type { IdentityProvider } from '../../../lib/ports/identity-provider.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const SECRET = 'evenkeel/prod/identity-client';

const servers: ListeningStandIn[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** An identity server, and what a function of stage prod makes of its settings. @param kept what Secrets Manager has. */
async function setUp(kept: Map<string, string | Error>, identity = 'control-plane') {
  const clock = new ManualClock();
  const credentials = { realm: 'master', clientId: 'evenkeel', clientSecret: 'hunter2' };
  let ids = 0;
  const keycloak = new KeycloakStandIn({ clock, newId: () => `id-${++ids}`, credentials, realms: ['shop'] });
  const server = await listenStandIn(keycloak);
  servers.push(server);
  const named = { server: server.url, realm: 'master', clientId: 'evenkeel' };
  const settings = settingsSchema.parse({ groups: { 'control-plane': { identity: named } } });
  const reads: string[] = [];
  const read = async (name: string) => {
    reads.push(name);
    const value = kept.get(name);
    if (value instanceof Error) throw value;
    return value;
  };
  const environment = { EVENKEEL_STAGE: 'prod', EVENKEEL_IDENTITY: identity, secrets: {} };
  const { clients = {} } = await cloudGroupParts(environment, settings, { read }, clock);
  return { clock, reads, provider: clients['control-plane'] as IdentityProvider | undefined };
}

describe('cloudGroupParts', () => {
  it('R-3.7 the secret in Secrets Manager opens the identity server of the settings', async () => {
    const { provider, reads } = await setUp(new Map([[SECRET, 'hunter2\n']]));
    expect(await provider?.findClient('shop', 'nobody')).toBeUndefined();
    expect(reads).toEqual([SECRET]);
  });

  it('R-3.7 a secret that was changed is read with the next token, without a deployment', async () => {
    const kept = new Map<string, string | Error>([[SECRET, 'the one before']]);
    const { provider } = await setUp(kept);
    await expect(provider?.findClient('shop', 'nobody')).rejects.toMatchObject({ reason: 'Unauthorized' });
    kept.set(SECRET, 'hunter2');
    expect(await provider?.findClient('shop', 'nobody')).toBeUndefined();
  });

  it.each([
    [undefined, `there is no secret ${SECRET} in Secrets Manager, or it is empty. Make it, with the secret of client`],
    [' \n', `there is no secret ${SECRET} in Secrets Manager, or it is empty.`],
    [new InfrastructureError('hunter2'), `the secret ${SECRET} could not be read. See that the function's role may`],
  ])('R-6.4 R-1.24 %j is reported with the name of the secret, and each call fails', async (value, message) => {
    const { provider } = await setUp(new Map(value === undefined ? [] : [[SECRET, value]]));
    const failure = await provider?.findClient('shop', 'nobody').catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'Unauthorized', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('hunter2');
  });

  it('R-5.12 functions that make no clients neither have an identity server nor read its secret', async () => {
    for (const identity of ['relay', 'secret-contract', 't4']) {
      const { provider, reads } = await setUp(new Map([[SECRET, 'hunter2']]), identity);
      expect([provider, reads]).toEqual([undefined, []]);
    }
    const without = { EVENKEEL_STAGE: 'prod', EVENKEEL_IDENTITY: 'control-plane', secrets: {} };
    const read = async () => 'hunter2';
    expect(await cloudGroupParts(without, defaultSettings(), { read }, new ManualClock())).toMatchObject({
      secrets: {},
      clients: {},
    });
  });

  const KEY = 'evenkeel/prod/digest-key';
  const secretsOf = async (groups: object, names: Record<string, string>, kept = new Map([[KEY, 'k'.repeat(64)]])) => {
    const environment = { EVENKEEL_STAGE: 'prod', EVENKEEL_IDENTITY: 'any', secrets: names };
    const read = async (name: string) => kept.get(name);
    const parts = await cloudGroupParts(environment, settingsSchema.parse({ groups }), { read }, new ManualClock());
    return parts.secrets;
  };

  it.each<[string, object, object]>([
    ['no group needs it', { 'secret-contract': {} }, {}],
    [
      'the settings allow mutation',
      { 'secret-contract': { mutation: { allow: true } } },
      { 'digest-key': 'k'.repeat(64) },
    ],
    ['t4 is installed', { t4: {}, 'secret-contract': {} }, { 'digest-key': 'k'.repeat(64) }],
  ])('R-5.12 a function that has the name of the key reads it once when %s', async (_when, groups, expected) => {
    expect(await secretsOf(groups, { 'digest-key': KEY })).toEqual(expected);
  });

  it('R-5.12 a function that has no name of the key runs no pass, and has a stand-in for it', async () => {
    expect(await secretsOf({ t4: {} }, {})).toEqual({ 'digest-key': 'this function runs no pass' });
  });

  it('R-6.4 a key that is gone is reported by its name', async () => {
    await expect(secretsOf({ t4: {} }, { 'digest-key': KEY }, new Map())).rejects.toThrow(
      `there is no secret ${KEY}. Deploy the stage again, which creates it.`,
    );
  });
});
