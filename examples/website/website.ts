import {
  ConfigMaps,
  Deployments,
  defineController,
  defineKind,
  dnsName,
  progressing,
  Secrets,
  Services,
  settled,
  terminal,
} from 'evenkeel';
import { z } from 'zod';
import type { DnsClient } from './dns.ts';

export const Websites = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({
    host: dnsName().describe('The name under which people reach it.'),
    html: z.string().max(100_000),
    replicas: z.int().min(1).max(10).default(2),
    passwordSecret: dnsName().optional().describe('A Secret whose password protects the pages.'),
  }),
  status: z.object({ url: z.string(), readyReplicas: z.int() }),
  columns: [{ name: 'URL', jsonPath: '.status.url' }],
  validations: [{ rule: 'self.host == oldSelf.host', message: 'host cannot change: create another Website' }],
});

/** Serves the pages of a Website, and gives it its name in the DNS. */
export const website = (dns: DnsClient) =>
  defineController({
    kind: Websites,
    owns: [Deployments, Services, ConfigMaps],
    reads: [{ type: Secrets, mode: 'watch', lists: false }],
    async reconcile({ metadata: { name }, spec }, context) {
      const secret = spec.passwordSecret === undefined ? undefined : await context.get(Secrets, spec.passwordSecret);
      if (spec.passwordSecret !== undefined && secret?.data?.password === undefined) {
        return terminal('PasswordMissing', `Create Secret ${spec.passwordSecret} with the key password.`);
      }
      const labels = { website: name };
      await context.ensure(ConfigMaps, name, { data: { 'index.html': spec.html } });
      await context.ensure(Services, name, { spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] } });
      const { status } = await context.ensure(Deployments, name, {
        spec: {
          replicas: spec.replicas,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              containers: [
                { name: 'web', image: 'nginx:1.29', volumeMounts: [{ name: 'pages', mountPath: '/pages' }] },
              ],
              volumes: [{ name: 'pages', configMap: { name } }],
            },
          },
        },
      });
      await context.external('DNS', (signal) => dns.point(spec.host, name, signal), { timeoutMs: 5_000 });
      const readyReplicas = status?.readyReplicas ?? 0;
      const starting = progressing('Starting', `${readyReplicas} of ${spec.replicas} replicas are ready.`);
      const outcome = readyReplicas === spec.replicas ? settled() : starting;
      return { outcome, status: { url: `https://${spec.host}`, readyReplicas } };
    },
    async finalize({ spec }, context) {
      const confirm = async (signal: AbortSignal) => (await dns.find(spec.host, signal)) === undefined;
      await context.external('DNS', (signal) => dns.remove(spec.host, signal), { timeoutMs: 5_000, confirm });
    },
  });
