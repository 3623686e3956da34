import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopbackIdentity } from '../../lib/adapters/loopback/loopback-identity.ts';
import { newToken } from '../../lib/adapters/system/new-token.ts';
import { ApiServer } from '../../lib/apiserver/api-server.ts';
import type { Listening } from '../../lib/apiserver/listen.ts';
import { describeKubectl } from './kubectl.suite.ts';
import { Kubectl, kubectlMissing } from './kubectl.ts';

const missing = kubectlMissing();
const title = 'kubectl against the embedded API server';

async function open() {
  const server = new ApiServer({ clock: () => Date.now(), newUid: randomUUID, random: Math.random });
  const listening = await server.listen({ token: newToken(), tls: loopbackIdentity(Date.now()) });
  return { server, listening, kubectl: await Kubectl.at(listening) };
}

describeKubectl(title, async () => {
  const { server, listening, kubectl } = await open();
  return {
    kubectl,
    namespace: 'default',
    deletions: async (name) => server.requests.find({ verb: 'delete', name }).length,
    async close() {
      await listening.close();
      await kubectl.remove();
    },
  };
});

describe.skipIf(missing !== undefined)(
  missing === undefined ? `${title} alone` : `${title} alone (skipped: ${missing})`,
  { timeout: 300_000 },
  () => {
    let server: ApiServer;
    let listening: Listening;
    let kubectl: Kubectl;

    beforeAll(async () => {
      ({ server, listening, kubectl } = await open());
    });

    afterAll(async () => {
      await listening.close();
      await kubectl.remove();
    });

    it('R-6.4 gets an answer that names what is not served', async () => {
      const job = await kubectl.try(['create', 'job', 'web', '--image=web:1']);
      expect(job.stderr).toContain('the server could not find the requested resource');
      await kubectl.run(['run', 'web', '--image=web:1']);
      const logs = await kubectl.try(['logs', 'web']);
      expect(logs.stderr).toContain('the embedded API server does not serve pod logs');
    });

    it('R-6.2 sees a rollout end, where the cluster’s stand-ins are switched on', async () => {
      server.controllers.switchOn();
      await kubectl.run(['create', 'deployment', 'site', '--image=site:1']);
      await kubectl.run(['rollout', 'status', 'deployment/site', '--timeout=10s']);
      expect(await kubectl.run(['get', 'deployment', 'site'])).toMatch(/site\s+1\/1\s+1\s+1/);
    });
  },
);
