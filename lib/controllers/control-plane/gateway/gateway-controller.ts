import { PROGRESS_CONDITIONS } from '../../../core/conditions.ts';
import type { Controller } from '../../../core/controller.ts';
import { reconcilerVersion } from '../../../core/reconciler-version.ts';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  Namespaces,
  Secrets,
} from '../../../core/resource-type.ts';
import { CLEANUP_PENDING, releasedFields } from '../cleanup.ts';
import {
  DatabaseRoles,
  Databases,
  Gateways,
  GrpcRoutes,
  ManagedDatabases,
  NetworkPolicies,
  ServiceAccounts,
  Services,
} from '../kinds.ts';
import { isProvenOwned } from '../proof.ts';
import { finalizeGateway } from './finalize-gateway.ts';
import { type GatewaySettings, settingsInVersion } from './gateway-settings.ts';
import { reconcileGateway } from './reconcile-gateway.ts';

const SECRET_POLL_MS = 300_000;

export const GATEWAY_FINALIZER = 'hypershell.evenkeel.dev/gateway';

/** Provisions gateways with their database credentials and identity clients, in namespaces of their own. */
export function gatewayController(settings: GatewaySettings): Controller {
  return {
    name: 'gateway',
    group: 'control-plane',
    type: Gateways,
    owns: [
      Namespaces,
      ServiceAccounts,
      ConfigMaps,
      NetworkPolicies,
      Services,
      Deployments,
      GrpcRoutes,
      Databases,
      DatabaseRoles,
    ],
    reads: [
      { type: ManagedDatabases, mode: 'watch' },
      // Read to find which Gateway holds a host.
      { type: Gateways, mode: 'watch', listsAllNamespaces: true },
      // Owned, and listed to find the route that has a host.
      { type: GrpcRoutes, mode: 'watch-labelled', listsAllNamespaces: true },
      // Owned, but polled by name: a watch would need the right to list every Secret of the cluster.
      { type: Secrets, mode: 'poll', pollIntervalMs: SECRET_POLL_MS },
      { type: CustomResourceDefinitions, mode: 'poll' },
    ],
    reachesAllNamespaces: true,
    // Version 2: objects carry proofs; older objects are taken over. Version 3: the settings say which realms and hosts
    // are permitted.
    version: reconcilerVersion('3', settingsInVersion(settings)),
    conditions: [
      'DatabaseReady',
      'IdentityReady',
      'ResourcesApplied',
      'Available',
      CLEANUP_PENDING,
      'Ready',
      ...PROGRESS_CONDITIONS,
    ],
    finalizer: GATEWAY_FINALIZER,
    isOwned: isProvenOwned,
    reconcile: (object, context) => reconcileGateway(object, context, settings),
    finalize: (object, context) => finalizeGateway(object, context, settings),
    released: ({ status }) => releasedFields(status, ['namespace', 'identity', 'database', 'address']),
  };
}
