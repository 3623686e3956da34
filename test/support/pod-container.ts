import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { Container } from './container-image.ts';

const MANIFEST = fileURLToPath(new URL('../../infra/container/pod/pod.yaml', import.meta.url));
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

interface DeploymentManifest {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly hostname: string;
        readonly securityContext: { readonly runAsUser: number };
        readonly containers: readonly [
          {
            readonly args: readonly string[];
            readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
          },
        ];
      };
    };
  };
}

/** The API server, as a pod sees it. */
export interface PodCluster {
  /** https://host:port */
  readonly url: string;
  readonly certificateAuthority: string;
  readonly token: string;
  /** In addition to what the kubelet sets. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The container of infra/container/pod with the image of a tree. */
export class PodContainer extends Container {
  /** The arguments of the manifest, with probes on a free port. */
  readonly args: readonly string[];
  readonly manifestUserId: number;

  /** @param more mounted files in addition, by their absolute paths. */
  constructor(tree: string, cluster: PodCluster, more: Readonly<Record<string, string>> = {}) {
    const pod = podSpec();
    const [container] = pod.containers;
    const mountOf = (name: string) => container.volumeMounts.find((mount) => mount.name === name)?.mountPath ?? '';
    const { hostname, port } = new URL(cluster.url);
    super(tree, {
      files: {
        [`${SERVICE_ACCOUNT}/ca.crt`]: cluster.certificateAuthority,
        [`${SERVICE_ACCOUNT}/token`]: cluster.token,
        [`${SERVICE_ACCOUNT}/namespace`]: 'evenkeel-system',
        [`${mountOf('settings')}/settings.yaml`]: readFileSync(
          fileURLToPath(new URL('../../infra/container/pod/settings.yaml', import.meta.url)),
          'utf8',
        ),
        ...more,
      },
      volume: mountOf('state'),
      hostname: pod.hostname,
      environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, ...cluster.environment },
    });
    this.args = container.args;
    this.manifestUserId = pod.securityContext.runAsUser;
  }
}

function podSpec(): DeploymentManifest['spec']['template']['spec'] {
  const documents = parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map(
    (document) => document.toJS() as DeploymentManifest,
  );
  const found = documents.find(({ kind }) => kind === 'Deployment');
  if (found === undefined) throw new Error(`${MANIFEST} has no Deployment`);
  return found.spec.template.spec;
}
