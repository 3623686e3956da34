import { KeycloakIdentityProvider } from '../../../lib/adapters/keycloak/keycloak-identity-provider.ts';
import { KeycloakStandIn } from '../../../lib/adapters/keycloak/stand-in/keycloak-stand-in.ts';
import { KubernetesClusterApi } from '../../../lib/adapters/kubernetes/kubernetes-cluster-api.ts';
import type { Transport } from '../../../lib/adapters/kubernetes/transport.ts';
import { isWrite } from '../../../lib/apiserver/request-log.ts';
import {
  type ControlPlaneSettings,
  controlPlaneControllers,
} from '../../../lib/controllers/control-plane/control-plane-controllers.ts';
import {
  Clusters,
  DatabaseRoles,
  Databases,
  Gateways,
  GrpcRoutes,
  ManagedDatabases,
  NetworkPolicies,
  ServiceAccounts,
  Services,
} from '../../../lib/controllers/control-plane/kinds.ts';
import {
  CLUSTER_NAME,
  databaseNamespace,
  databaseObjectName,
  GATEWAY_NAME,
  gatewayNamespace,
  identityClientId,
} from '../../../lib/controllers/control-plane/names.ts';
import { type Condition, readConditions } from '../../../lib/core/conditions.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import {
  apiVersion,
  ConfigMaps,
  Deployments,
  Namespaces,
  type ResourceType,
  Secrets,
} from '../../../lib/core/resource-type.ts';
import type { PassRunner } from '../../../lib/engine/pass/pass-runner.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { type ClusterApi, isApiError } from '../../../lib/ports/cluster-api.ts';
import type { IdentityProvider } from '../../../lib/ports/identity-provider.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { World } from '../../../lib/testing/world.ts';
import { CONTROL_PLANE_DEFINITIONS, PROVIDER_DEFINITIONS } from '../../support/control-plane-definitions.ts';
import { type OperatorOptions, playOperators } from '../../support/play-operators.ts';

export const NAMESPACE = 'team-a';
export const REALM = 'shop';
const SERVER = 'http://identity.test';
const CREDENTIALS = { realm: 'master', clientId: 'evenkeel', clientSecret: 'secret' };
const MAX_ROUNDS = 40;

export interface ControlPlaneOptions {
  /** An API server instead of the embedded one. It has the definitions and this namespace already. */
  readonly on?: { readonly transport: Transport; readonly namespace: string };
  readonly providersInstalled?: boolean;
  /** Wraps the connection between the engine and the API server, for faults. */
  readonly wrapTransport?: (server: Transport) => Transport;
  readonly settings?: Partial<ControlPlaneSettings>;
  /** Installs the CRDs without validation rules, so that objects are stored that the rules would refuse. */
  readonly withoutRules?: boolean;
  /** An identity provider instead of the stand-in. */
  readonly identity?: IdentityProvider;
  /** Wraps the connection between the controllers and the identity provider, for faults. */
  readonly wrapIdentity?: (provider: IdentityProvider) => IdentityProvider;
}

/** A world with the control plane's controllers, a stand-in for Keycloak, and operators that the test plays. */
export interface ControlPlaneWorld {
  readonly world: World;
  /** The client of the test itself. */
  readonly user: ClusterApi;
  readonly namespace: string;
  readonly keycloak: KeycloakStandIn;
  readonly provider: IdentityProvider;
  readonly operators: { options: OperatorOptions };
}

export async function controlPlaneWorld(options: ControlPlaneOptions = {}): Promise<ControlPlaneWorld> {
  const clock = new ManualClock();
  let ids = 0;
  const heldClock: Clock = {
    now: () => holder.clock.now(),
    monotonic: () => holder.clock.monotonic(),
    sleep: (ms, signal) => holder.clock.sleep(ms, signal),
  };
  const keycloak = new KeycloakStandIn({
    clock: heldClock,
    newId: () => `id-${++ids}`,
    credentials: CREDENTIALS,
    realms: [REALM, 'other'],
  });
  const holder: { clock: ManualClock } = { clock };
  const standIn = { server: SERVER, credentials: CREDENTIALS, transport: keycloak, clock: heldClock };
  const provider = options.identity ?? new KeycloakIdentityProvider(standIn);
  const world = new World({
    controllers: controllersWith(options.wrapIdentity?.(provider) ?? provider, options.settings),
    wrapTransport: (embedded) => {
      const server = options.on?.transport ?? embedded;
      return options.wrapTransport?.(server) ?? server;
    },
  });
  holder.clock = world.clock;
  if (options.on !== undefined) {
    const user = new KubernetesClusterApi({
      transport: options.on.transport,
      clock: world.clock,
      userAgent: 'test',
    });
    return { world, user, namespace: options.on.namespace, keycloak, provider, operators: { options: {} } };
  }
  const definitions = options.providersInstalled === false ? [] : PROVIDER_DEFINITIONS;
  const own = options.withoutRules === true ? withoutRules(CONTROL_PLANE_DEFINITIONS) : CONTROL_PLANE_DEFINITIONS;
  await world.install([...own, ...definitions]);
  await world.create(Namespaces, { metadata: { name: NAMESPACE } });
  return { world, user: world.user, namespace: NAMESPACE, keycloak, provider, operators: { options: {} } };
}

let passwords = 0;

function controllersWith(identity: IdentityProvider, settings: Partial<ControlPlaneSettings> = {}) {
  return controlPlaneControllers({
    identity,
    parentGateway: { namespace: 'edge', name: 'public' },
    realms: [{ namespaces: ['*'], realms: [REALM, 'other'], redirectHosts: ['*.example.org'] }],
    routes: [{ namespaces: ['*'], hosts: ['*.example.org'] }],
    newPassword: () => `password-${++passwords}`,
    newSeed: () => `seed-${++passwords}`,
    ...settings,
  });
}

function withoutRules(definitions: readonly object[]): object[] {
  const text = JSON.stringify(definitions, (key, value) => (key === 'x-kubernetes-validations' ? undefined : value));
  return JSON.parse(text) as object[];
}

/** A worker of the same world after a deployment with other settings. */
export function workerWith(
  { world, provider }: ControlPlaneWorld,
  settings: Partial<ControlPlaneSettings>,
): PassRunner {
  return world.worker('deployed-anew', { registry: new Registry(controllersWith(provider, settings)) });
}

export function createDatabase(control: ControlPlaneWorld, spec: object = {}, name = 'main'): Promise<KubeObject> {
  const whole = { provider: 'cnpg', engineVersion: '17', storage: '10Gi', deletionPolicy: 'Delete', ...spec };
  return createPrimary(control, ManagedDatabases, name, whole);
}

export function createGateway(control: ControlPlaneWorld, spec: object = {}, name = 'edge'): Promise<KubeObject> {
  const whole = {
    image: 'registry.example/hypershell/gateway:1.4',
    databaseRef: { name: 'main' },
    serverDnsNames: ['gw.example.org'],
    replicas: 2,
    route: { host: hostOf(control, name) },
    identity: { realm: REALM, roles: ['admin', 'viewer'] },
    ...spec,
  };
  return createPrimary(control, Gateways, name, whole);
}

/** Only one Gateway of a cluster may have a host. Tests share a cluster, so the host contains the namespace. */
function hostOf({ namespace }: ControlPlaneWorld, name: string): string {
  return namespace === NAMESPACE ? `${name}.example.org` : `${name}-${namespace}.example.org`;
}

function createPrimary(
  { user, namespace }: ControlPlaneWorld,
  type: ResourceType,
  name: string,
  spec: object,
): Promise<KubeObject> {
  const object = { apiVersion: apiVersion(type), kind: type.kind, metadata: { namespace, name }, spec };
  return user.create(type, object, { fieldManager: 'test' });
}

/** Runs passes of all targets and the operators in turn, until nothing changes any more. The clock stands still. */
export async function settle(control: ControlPlaneWorld, runner?: PassRunner): Promise<void> {
  const { world } = control;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const requests = world.server.requests.total;
    for (const [type, object] of await targets(control)) await passOf(control, type, object, runner);
    await world.server.idle();
    const recent = world.server.requests.records.slice(requests - world.server.requests.total);
    const written = recent.filter((request) => isWrite(request) && request.userAgent === 'evenkeel').length;
    const played = await playOperators(world.user, control.operators.options);
    if (written === 0 && played === 0) return;
  }
  throw new Error(`nothing settled within ${MAX_ROUNDS} rounds`);
}

/** Runs a pass of one target now, as if an operator had requested it. */
export async function passOf(
  { world }: ControlPlaneWorld,
  type: ResourceType,
  object: Pick<KubeObject, 'metadata'>,
  runner: PassRunner = world.worker(),
) {
  return await runner.handle(world.event(type, object, { cause: 'requested' }));
}

async function targets({ world }: ControlPlaneWorld): Promise<[ResourceType, KubeObject][]> {
  const found: [ResourceType, KubeObject][] = [];
  for (const type of [ManagedDatabases, Gateways]) {
    for (const object of (await world.user.list(type)).items) found.push([type, object]);
  }
  const labelSelector = 'app.kubernetes.io/managed-by=evenkeel';
  for (const object of (await world.user.list(Namespaces, { labelSelector })).items) found.push([Namespaces, object]);
  return found;
}

/** A Gateway with its database, both provisioned. */
export async function runningGateway(
  control: ControlPlaneWorld,
  { gateway = {}, database = {} }: { gateway?: object; database?: object } = {},
): Promise<{ gateway: KubeObject; database: KubeObject }> {
  const created = await createDatabase(control, database);
  await settle(control);
  const edge = await createGateway(control, gateway);
  await settle(control);
  return {
    gateway: await control.world.read(Gateways, edge),
    database: await control.world.read(ManagedDatabases, created),
  };
}

export interface OwnedObject {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** Every object of a Gateway in the cluster, in the order of creation. */
export function gatewayObjects(gatewayUid: string, databaseUid: string): OwnedObject[] {
  const namespace = gatewayNamespace(gatewayUid);
  const beside = { namespace: databaseNamespace(databaseUid), name: databaseObjectName(gatewayUid) };
  const inside = (type: ResourceType, name = GATEWAY_NAME) => ({ type, namespace, name });
  return [
    { type: Namespaces, namespace: '', name: namespace },
    { type: Secrets, ...beside },
    { type: DatabaseRoles, ...beside },
    { type: Databases, ...beside },
    inside(Secrets, 'gateway-database'),
    inside(ServiceAccounts),
    inside(ConfigMaps),
    inside(NetworkPolicies),
    inside(Services),
    inside(Deployments),
    inside(GrpcRoutes),
  ];
}

export function databaseObjects(databaseUid: string): OwnedObject[] {
  const namespace = databaseNamespace(databaseUid);
  return [
    { type: Namespaces, namespace: '', name: namespace },
    { type: Clusters, namespace, name: CLUSTER_NAME },
  ];
}

export async function find({ user }: ControlPlaneWorld, { type, namespace, name }: OwnedObject) {
  try {
    return await user.get(type, { namespace, name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

export function clientOf({ keycloak }: ControlPlaneWorld, gatewayUid: string, realm = REALM) {
  return keycloak.realms.get(realm)?.byClientId(identityClientId(gatewayUid));
}

/** Each condition's status and reason. */
export function shown({ status }: KubeObject): Record<string, string> {
  return Object.fromEntries(readConditions(status).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
}

export function phaseOf({ status }: KubeObject): unknown {
  return (status as { phase?: unknown } | undefined)?.phase;
}

export function conditionOf({ status }: KubeObject, type: string): Condition | undefined {
  return readConditions(status).find((condition) => condition.type === type);
}

/** What is left of the control plane in the cluster, as `Kind namespace/name`, without the users' own objects. */
export async function leftovers(control: ControlPlaneWorld): Promise<string[]> {
  const types = [...new Set(gatewayObjects('', '').map(({ type }) => type)), Clusters, Gateways, ManagedDatabases];
  const left: string[] = [];
  for (const type of types) {
    for (const { metadata } of (await control.world.user.list(type)).items) {
      const isOurs = metadata.namespace?.startsWith('hs-') || metadata.name.startsWith('hs-');
      const isPrimary = type === Gateways || type === ManagedDatabases;
      if (isOurs || isPrimary) left.push(`${type.kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    }
  }
  const clients = [...control.keycloak.realms.values()].flatMap((realm) => [...realm.clients.values()]);
  return [...left, ...clients.map(({ clientId }) => `client ${clientId}`)];
}
