import { sha256Hex } from '../../../core/hash.ts';
import type { DesiredObject, JsonObject } from '../../../core/kube-object.ts';
import { apiVersion, ConfigMaps, Deployments, Namespaces, type ResourceType } from '../../../core/resource-type.ts';
import { GrpcRoutes, NetworkPolicies, ServiceAccounts, Services } from '../kinds.ts';
import {
  CLUSTER_NAME,
  databaseNamespace,
  databaseUser,
  GATEWAY_NAME,
  gatewayNamespace,
  identityClientId,
} from '../names.ts';
import { CONTENT_ANNOTATION, CREDENTIALS_ANNOTATION, type CredentialsMarks } from './credentials-content.ts';
import { CREDENTIALS_NAME } from './desired-credentials.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import type { Gateway } from './gateway-spec.ts';

const PORT = 8443;
const APP_LABELS = { 'app.kubernetes.io/name': 'hypershell-gateway' };
/** On the pod template. A change of the value rolls out the Deployment. */
const CONFIG_HASH_ANNOTATION = 'hypershell.evenkeel.dev/config-hash';

export function desiredNamespace(gateway: Gateway): DesiredObject {
  return {
    apiVersion: apiVersion(Namespaces),
    kind: Namespaces.kind,
    metadata: { name: gatewayNamespace(gateway.owner.uid), labels: APP_LABELS },
  };
}

/** @param databaseUid of the ManagedDatabase whose Cluster holds the data. */
export function desiredConfig(gateway: Gateway, databaseUid: string, settings: GatewaySettings): DesiredObject {
  const { uid } = gateway.owner;
  const { identity } = gateway;
  const data: Record<string, string> = {
    DATABASE_HOST: `${CLUSTER_NAME}-rw.${databaseNamespace(databaseUid)}.svc`,
    DATABASE_PORT: '5432',
    DATABASE_NAME: databaseUser(uid),
    SERVER_DNS_NAMES: serverNames(gateway).join(','),
    ...(identity !== undefined &&
      settings.identity !== undefined && {
        IDENTITY_ISSUER: `${settings.identity.server}/realms/${identity.realm}`,
        IDENTITY_CLIENT_ID: identityClientId(uid),
      }),
  };
  return { ...named(ConfigMaps, gateway), data };
}

export function desiredServiceAccount(gateway: Gateway): DesiredObject {
  return { ...named(ServiceAccounts, gateway), automountServiceAccountToken: false };
}

/** Allows the port of the gateway from anywhere, and nothing else. */
export function desiredNetworkPolicy(gateway: Gateway): DesiredObject {
  return {
    ...named(NetworkPolicies, gateway),
    spec: {
      podSelector: { matchLabels: APP_LABELS },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: PORT, protocol: 'TCP' }] }],
    },
  };
}

export function desiredService(gateway: Gateway): DesiredObject {
  return {
    ...named(Services, gateway),
    spec: {
      type: 'ClusterIP',
      selector: APP_LABELS,
      ports: [{ name: 'grpc', port: PORT, targetPort: 'grpc', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' }],
    },
  };
}

/**
 * @param config the data of the ConfigMap.
 * @param marks of the credentials that the Pods mount; undefined while these cannot be read and there is no Deployment.
 */
export function desiredDeployment(
  gateway: Gateway,
  config: unknown,
  marks: CredentialsMarks | undefined,
): DesiredObject {
  const annotations: JsonObject = {
    [CONFIG_HASH_ANNOTATION]: sha256Hex(JSON.stringify(config)).slice(0, 32),
    ...(marks?.template !== undefined && { [CREDENTIALS_ANNOTATION]: marks.template }),
  };
  const object = named(Deployments, gateway);
  const beside = marks?.content === undefined ? {} : { annotations: { [CONTENT_ANNOTATION]: marks.content } };
  return {
    ...object,
    metadata: { ...object.metadata, ...beside },
    spec: {
      replicas: gateway.replicas,
      selector: { matchLabels: APP_LABELS },
      template: {
        metadata: { labels: APP_LABELS, annotations },
        spec: {
          serviceAccountName: GATEWAY_NAME,
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: GATEWAY_NAME,
              image: gateway.image,
              ports: [{ name: 'grpc', containerPort: PORT, protocol: 'TCP' }],
              envFrom: [{ configMapRef: { name: GATEWAY_NAME } }],
              volumeMounts: [{ name: 'credentials', mountPath: '/etc/hypershell/credentials', readOnly: true }],
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
          volumes: [{ name: 'credentials', secret: { secretName: CREDENTIALS_NAME } }],
        },
      },
    },
  };
}

export function desiredRoute(
  gateway: Gateway,
  host: string,
  parent: NonNullable<GatewaySettings['parentGateway']>,
): DesiredObject {
  const { namespace, name, sectionName } = parent;
  return {
    ...named(GrpcRoutes, gateway),
    spec: {
      parentRefs: [{ namespace, name, ...(sectionName !== undefined && { sectionName }) }],
      hostnames: [host],
      rules: [{ backendRefs: [{ name: GATEWAY_NAME, port: PORT }] }],
    },
  };
}

/**
 * The address of the gateway.
 * @param hasRoute whether the requested host leads to this gateway.
 */
export function gatewayAddress(gateway: Gateway, hasRoute: boolean): string {
  return (hasRoute ? gateway.routeHost : undefined) ?? `${serviceName(gateway)}:${PORT}`;
}

function serverNames(gateway: Gateway): string[] {
  const own = [serviceName(gateway), ...(gateway.routeHost === undefined ? [] : [gateway.routeHost])];
  return [...new Set([...gateway.serverDnsNames, ...own])].sort();
}

function serviceName({ owner }: Gateway): string {
  return `${GATEWAY_NAME}.${gatewayNamespace(owner.uid)}.svc`;
}

function named(type: ResourceType, { owner }: Gateway): DesiredObject {
  return {
    apiVersion: apiVersion(type),
    kind: type.kind,
    metadata: { namespace: gatewayNamespace(owner.uid), name: GATEWAY_NAME, labels: APP_LABELS },
  };
}
