import type { KubeObject } from '../../core/kube-object.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import type { GroupDiagnosis } from '../group.ts';
import { parseGateway } from './gateway/gateway-spec.ts';
import { checkPermission, type GatewayPermissions, mayHaveHost } from './gateway/permissions.ts';
import { gatewayPermissions } from './gateway-permissions.ts';
import { Gateways } from './kinds.ts';
import type { Section } from './settings-section.ts';

const PAGE = 500;
const ADVICE = 'What exists stays, and nothing new is created. Permit it in the settings, or change the Gateways.';

/**
 * Finds the Gateways that ask for something that the settings do not permit.
 * @param section of the settings that are deployed, or will be.
 */
export async function checkGateways(section: Section, api: ClusterApi): Promise<GroupDiagnosis[]> {
  const permissions = gatewayPermissions(section);
  const refused: string[] = [];
  let count = 0;
  let continueToken: string | undefined;
  try {
    do {
      const page = await api.list(Gateways, { limit: PAGE, ...(continueToken !== undefined && { continueToken }) });
      count += page.items.length;
      refused.push(...page.items.flatMap((gateway) => refusals(gateway, permissions)));
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
  } catch (error) {
    // Ignored: the checks of the other kinds report it.
    if (isApiError(error)) return [];
    throw error;
  }
  if (refused.length === 0)
    return [{ level: 'ok', text: `the settings permit everything that ${count} Gateways ask for` }];
  return refused.sort().map((text) => ({ level: 'note', text, advice: ADVICE, reason: 'NotPermitted' }));
}

/** The requests of a Gateway that the settings do not permit, one text each. An invalid Gateway reports that itself. */
function refusals(object: KubeObject, permissions: GatewayPermissions): string[] {
  const parsed = parseGateway(object);
  if (!parsed.valid) return [];
  const { gateway } = parsed;
  const whose = `Gateway ${gateway.owner.namespace}/${gateway.owner.name}`;
  const verdict = checkPermission(gateway, permissions);
  const texts: string[] = [];
  if (verdict.type === 'realm-refused') texts.push(`${whose} may not have the realm ${verdict.realm}`);
  if (verdict.type === 'hosts-refused')
    texts.push(`${whose} may not have the redirect hosts ${verdict.hosts.join(', ')}`);
  const { routeHost } = gateway;
  if (routeHost !== undefined && !mayHaveHost(gateway.owner.namespace, routeHost, permissions))
    texts.push(`${whose} may not have the route host ${routeHost}`);
  return texts;
}
