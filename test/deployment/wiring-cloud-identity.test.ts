import { afterEach, describe, expect, it } from 'vitest';
import { KeycloakStandIn } from '../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { type ListeningStandIn, listenStandIn } from '../../lib/adapters/keycloak/stand-in/listen-stand-in.ts';
import { InfrastructureError } from '../../lib/core/errors.ts';
import { defaultSettings } from '../../lib/deployment/settings/load-settings.ts';
import { settingsSchema } from '../../lib/deployment/settings/settings-schema.ts';
import { cloudIdentity } from '../../lib/deployment/wiring-cloud-identity.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';

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
  const environment = { EVENKEEL_STAGE: 'prod', EVENKEEL_IDENTITY: identity };
  return { clock, reads, provider: cloudIdentity(environment, settings, { read }, clock) };
}

describe('cloudIdentity', () => {
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
  ])('R-6.4 R-1.24 %j is told by the name of the secret, and each call fails', async (value, message) => {
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
    const without = { EVENKEEL_STAGE: 'prod', EVENKEEL_IDENTITY: 'control-plane' };
    const read = async () => 'hunter2';
    expect(cloudIdentity(without, defaultSettings(), { read }, new ManualClock())).toBeUndefined();
  });
});
