import {
  Clusters,
  DatabaseRoles,
  Databases,
  GrpcRoutes,
  NetworkPolicies,
  ServiceAccounts,
  Services,
} from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { ConfigMaps, Deployments, kindId, Namespaces, Secrets } from '../../../lib/core/resource-type.ts';

/** For each kind, an edit of a field that we own. */
export const EDITS: Readonly<Record<string, object>> = {
  [kindId(Namespaces)]: { metadata: { annotations: { 'evenkeel.dev/owner-name': 'somebody' } } },
  [kindId(Secrets)]: { metadata: { annotations: { 'evenkeel.dev/owner-name': 'somebody' } } },
  [kindId(DatabaseRoles)]: { spec: { login: false } },
  [kindId(Databases)]: { spec: { owner: 'somebody' } },
  [kindId(ServiceAccounts)]: { automountServiceAccountToken: true },
  [kindId(ConfigMaps)]: { data: { DATABASE_HOST: 'elsewhere' } },
  [kindId(NetworkPolicies)]: { spec: { ingress: [] } },
  [kindId(Services)]: { spec: { ports: [{ name: 'grpc', port: 9_999, targetPort: 'grpc', protocol: 'TCP' }] } },
  [kindId(Deployments)]: { spec: { replicas: 7 } },
  [kindId(GrpcRoutes)]: { spec: { hostnames: ['elsewhere.example.org'] } },
  [kindId(Clusters)]: { spec: { instances: 3 } },
};

export const RELABELLED = { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } };

/** The part of an object that we own: everything except what the server and other controllers write. */
export function essence({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels, annotations } = metadata;
  return { ...rest, labels, annotations };
}
