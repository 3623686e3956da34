import { z } from 'zod';
import {
  ConfigMaps,
  type Controller,
  type ControllerDefinition,
  Deployments,
  defineController,
  defineKind,
  progressing,
  Secrets,
  settled,
} from '../../../lib/index.ts';

export const Websites = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: z.object({
    host: z.string().min(1).max(253),
    replicas: z.int().min(0).max(10).default(1),
    secret: z.string().optional(),
  }),
  status: z.object({ url: z.string(), replicas: z.int() }),
  shortNames: ['web'],
  columns: [{ name: 'Host', jsonPath: '.spec.host' }],
  validations: [{ rule: "!self.host.endsWith('.local')", message: 'a host must not end in .local' }],
});

type Definition = ControllerDefinition<typeof Websites.spec._output, { url: string; replicas: number }>;

/** A Deployment and a ConfigMap for each Website. @param changes for one test. */
export function websiteController(changes: Partial<Definition> = {}): Controller {
  return defineController({
    kind: Websites,
    owns: [Deployments, ConfigMaps],
    reads: [Secrets],
    async reconcile({ metadata, spec }, context) {
      const { name } = metadata;
      const secret = spec.secret === undefined ? undefined : await context.get(Secrets, spec.secret);
      await context.ensure(ConfigMaps, name, { data: { host: spec.host, style: secret?.data?.style ?? '' } });
      const labels = { app: name };
      const deployment = await context.ensure(Deployments, name, {
        metadata: { labels },
        spec: {
          replicas: spec.replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
        },
      });
      const status = { url: `https://${spec.host}`, replicas: deployment.status?.readyReplicas ?? 0 };
      if (status.replicas === spec.replicas) return { outcome: settled(), status };
      const message = `${status.replicas} of ${spec.replicas} replicas are ready.`;
      return { outcome: progressing('DeploymentProgressing', message), status };
    },
    ...changes,
  });
}
