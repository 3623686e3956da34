import { describe, expect, it } from 'vitest';
import { HttpKeycloakTransport } from '../../../lib/adapters/keycloak/keycloak-transport.ts';
import { HttpTransport } from '../../../lib/adapters/kubernetes/http-transport.ts';
import { unlessItHangs } from '../../support/unless-it-hangs.ts';

const SLASHES = '/'.repeat(1_000_000);

describe('the address of a server that is long', () => {
  it.each([
    ['ends in a letter', `http://127.0.0.1:1${SLASHES}x`],
    ['ends in slashes', `http://127.0.0.1:1/x${SLASHES}`],
    ['has slashes twice', `http://127.0.0.1:1/x${SLASHES}x${SLASHES}x`],
  ])('R-5.24 a transport is created at once when the address %s', async (_, server) => {
    const [kubernetes, keycloak] = unlessItHangs(() => [
      new HttpTransport({ connection: { server } }),
      new HttpKeycloakTransport(server),
    ]);
    await expect(Promise.all([kubernetes?.close(), keycloak?.close()])).resolves.toHaveLength(2);
  });
});
