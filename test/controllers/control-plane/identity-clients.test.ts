import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { SystemClock } from '../../../lib/adapters/system/system-clock.ts';
import { controlPlane } from '../../../lib/controllers/control-plane/group.ts';
import { section } from '../../../lib/controllers/control-plane/settings-section.ts';
import { readText } from '../../../lib/deployment/files/read-text.ts';
import { isIdentityError } from '../../../lib/ports/identity-provider.ts';
import { certificateAuthority } from '../../adapters/kubernetes/certificates.ts';

const clock = new SystemClock();
const credentials = { realm: 'master', clientId: 'evenkeel', clientSecret: 'hunter2' };
const authority = certificateAuthority();
const stranger = certificateAuthority('Another CA');
let ids = 0;
const keycloak = new KeycloakStandIn({ clock, newId: () => `id-${++ids}`, credentials, realms: ['shop'] });

const issued = authority.issue('localhost', ['localhost', '127.0.0.1']);
const server = createServer({ cert: issued.certificate, key: issued.key }, async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const headers = { authorization: request.headers.authorization ?? '' };
  const { method = 'GET', url: path = '/' } = request;
  const answer = await keycloak.send({ method, path, headers, ...(body !== '' && { body }) });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
});
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-ca-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function look(trusted: object): Promise<string> {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity = { server: url, clientSecretFile: file('secret', 'hunter2'), ...trusted };
  const ports = { clock, readText, stageSecret: undefined, standIn: undefined };
  const { clients: provider, close } = controlPlane.clients!.connect(section.parse({ identity }), ports)!;
  try {
    await provider.findClient('shop', 'nobody');
    return 'answered';
  } catch (error) {
    if (isIdentityError(error)) return error.reason;
    throw error;
  } finally {
    await close();
  }
}

describe('an identity server with a certificate of a private authority', () => {
  it.each([
    ['the settings hold the authority', () => ({ ca: authority.certificate })],
    ['a file holds the authority', () => ({ caFile: file('ca.pem', authority.certificate) })],
    ['one of two authorities is its own', () => ({ ca: stranger.certificate + authority.certificate })],
    [
      'the settings hold another authority and the file its own',
      () => ({ ca: stranger.certificate, caFile: file('second.pem', `${authority.certificate}`) }),
    ],
  ])('R-3.7 R-3.11 the server gets the request when %s', async (_, trusted) => {
    expect(await look(trusted())).toBe('answered');
  });

  it.each([
    ['no authority is named', () => ({})],
    ['another authority is named', () => ({ ca: stranger.certificate })],
    ['a file with another authority is named', () => ({ caFile: file('other.pem', stranger.certificate) })],
  ])('R-3.7 R-3.11 the server gets no credentials when %s', async (_, trusted) => {
    keycloak.requests.length = 0;
    expect(await look(trusted())).toBe('Unreachable');
    expect(keycloak.requests).toEqual([]);
  });

  it.each([
    ['is missing', () => join(folder, 'absent.pem'), 'cannot be read (ENOENT)'],
    ['holds no certificate', () => file('empty.pem', 'hello'), 'holds no certificate'],
  ])('R-6.4 the settings are refused when the file of the authority %s', async (_, caFile, text) => {
    await expect(look({ caFile: caFile() })).rejects.toThrow(text);
  });

  it.each(['hello', authority.key, `${authority.certificate}${authority.key}`])(
    'R-6.4 the settings are refused when ca is not a certificate, or contains a key too',
    (ca) => {
      const identity = { server: 'https://id.example.org', ca };
      expect(section.safeParse({ identity }).success).toBe(false);
    },
  );
});
