import { withDefinition } from '../kind-absence.ts';
import { GrpcRoutes } from '../kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../names.ts';
import { ensureObject, removeObject, willBeOurs } from '../owned-objects.ts';
import { desiredRoute } from './desired-objects.ts';
import type { Gateway } from './gateway-spec.ts';
import { claimAmongGateways, claimHost, type GatewayName, type HostClaim, routeHosts } from './host-claim.ts';
import type { StepInput } from './resource-steps.ts';
import { attempt, DONE, ensuredResult, type StepResult, waiting } from './step.ts';

export async function routeStep(input: StepInput): Promise<StepResult> {
  const { object: gatewayObject, gateway, rules, settings, keeper, context } = input;
  return await attempt('Making the GRPCRoute', async () => {
    const { routeHost } = gateway;
    if (routeHost === undefined) return await pruneRoute(input);
    if (settings.parentGateway === undefined) {
      const text = 'The installation names no parent Gateway: set groups.control-plane.parentGateway in its settings.';
      return waiting('RouteNotConfigured', text);
    }
    const object = desiredRoute(gateway, routeHost, settings.parentGateway);
    const present = await context.get(GrpcRoutes, routeName(input));
    const hasHost = routeHosts(present).includes(routeHost);
    const claim = await claimHost(gatewayObject, routeHost, hasHost, settings, context);
    // An existing route stays when its permission was removed.
    const isKept = hasHost && claim.type === 'not-permitted';
    if (!isKept && claim.type !== 'held') {
      const pruned = await pruneRoute(input);
      return pruned.type === 'done' ? refused(gateway, claim, routeHost, false) : pruned;
    }
    const own = { ...rules, mayCreate: rules.mayCreate && claim.type === 'held' };
    if (willBeOurs(present, own) && !keeper.record.routed) await keeper.keep({ routed: true });
    const ensured = ensuredResult('GRPCRoute', await ensureObject(context, { type: GrpcRoutes, object }, own));
    return ensured.type === 'done' && claim.type === 'not-permitted'
      ? refused(gateway, claim, routeHost, true)
      : ensured;
  });
}

/**
 * Checks a route that cannot be created yet because the Gateway waits for something else. It reads no routes, so that the
 * Gateway API need not be installed.
 * @returns done when nothing refuses the route.
 */
export async function routeRefusal({
  object,
  gateway,
  settings,
  context,
}: Pick<StepInput, 'object' | 'gateway' | 'settings' | 'context'>): Promise<StepResult> {
  const { routeHost } = gateway;
  if (routeHost === undefined || settings.parentGateway === undefined) return DONE;
  return await attempt('Looking for other Gateways of the host', async () => {
    const claim = await claimAmongGateways(object, routeHost, settings, context);
    return claim.type === 'held' ? DONE : refused(gateway, claim, routeHost, false);
  });
}

function refused(gateway: Gateway, claim: RefusedClaim, host: string, kept: boolean): StepResult {
  if (claim.type === 'not-permitted') {
    const what = kept ? 'The route that is there stays. ' : '';
    const message = `The settings do not permit the host ${host} to this namespace. ${what}Choose another host, or add it to groups.control-plane.routes.`;
    return { type: 'refused', reason: 'HostNotPermitted', message, kept };
  }
  const whose = holderText(claim.holder, gateway.owner.namespace);
  const message =
    claim.type === 'awaited'
      ? `${whose} still has a route of the host ${host}. The route is made when that one is gone.`
      : `${whose}, which is older, holds the host ${host}. Choose another host. The route is made when that Gateway gives the host up.`;
  return { type: 'refused', reason: 'HostConflict', message, kept };
}

type RefusedClaim = Exclude<HostClaim, { type: 'held' }>;

/** Names of other namespaces are not shown: the readers of this Gateway may not be allowed to read them. */
function holderText(holder: GatewayName | undefined, namespace: string): string {
  if (holder === undefined) return 'Another Gateway';
  return holder.namespace === namespace ? `Gateway ${holder.name}` : 'A Gateway of another namespace';
}

/** A route that was never created is not read, so that the Gateway API need not be installed. */
async function pruneRoute(input: StepInput): Promise<StepResult> {
  const { rules, mayDelete, keeper, context } = input;
  if (!keeper.record.routed || !mayDelete) return DONE;
  const step = { what: GrpcRoutes.kind, remove: () => removeObject(context, GrpcRoutes, routeName(input), rules) };
  const removed = await withDefinition(step, GrpcRoutes, context).remove();
  if (removed.type === 'pending') return ensuredResult('GRPCRoute', { type: 'terminating', object: removed.object });
  // A route of somebody else is not changed.
  return DONE;
}

function routeName({ gateway }: StepInput) {
  return { namespace: gatewayNamespace(gateway.owner.uid), name: GATEWAY_NAME };
}
