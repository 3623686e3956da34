import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { conditionInput } from '../../../kit/conditions.ts';
import { failureCondition, listedNames } from '../../../kit/failure-conditions.ts';
import { isUnread, observe } from '../../../kit/observation.ts';
import {
  type ClientLocation,
  type FoundClient,
  IdentityError,
  type IdentityProvider,
  isIdentityError,
} from '../../../ports/identity-provider.ts';
import { identityClientId } from '../names.ts';
import { provenClientId } from '../owner-proof.ts';
import { expectedError, type ReadError } from '../read-error.ts';
import { clientStanding, desiredClient, redirectUri } from './desired-client.ts';
import { type RecordedClient, sameClient } from './gateway-record.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import type { Gateway } from './gateway-spec.ts';
import { hostsOfOlderGateways } from './host-claim.ts';
import { checkPermission, type RealmVerdict, redirectHosts } from './permissions.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { removeClient, syncClient } from './sync-client.ts';

export interface IdentityResult {
  readonly condition: ConditionInput;
  /** Whether the later steps may create objects. */
  readonly open: boolean;
  readonly failure?: ReadError;
}

const TYPE = 'IdentityReady';

/** Removes clients that the spec does not ask for any more, and brings the wanted client to its desired state. */
export async function identityStep(
  object: KubeObject,
  gateway: Gateway,
  settings: GatewaySettings,
  databaseReady: boolean,
  keeper: RecordKeeper,
  context: ReconcileContext,
): Promise<IdentityResult> {
  const { identity: provider } = settings;
  const wanted = wantedClient(gateway, provider);
  try {
    for (const client of keeper.record.clients) {
      if (wanted !== undefined && sameClient(client, wanted)) continue;
      const left = await prune(client, gateway, provider, keeper, context);
      if (left !== undefined) return left;
    }
    if (gateway.identity === undefined) {
      const text = 'The Gateway asks for no identity client.';
      return { condition: conditionInput(TYPE, 'True', 'NotRequested', text), open: true };
    }
    if (provider === undefined || wanted === undefined) {
      const text = 'The installation names no identity server: set groups.control-plane.identity in its settings.';
      return { condition: conditionInput(TYPE, 'False', 'IdentityNotConfigured', text), open: false };
    }
    const verdict = checkPermission(gateway, settings);
    if (verdict.type === 'realm-refused') return refused(verdict);
    return await ensureClient({ object, gateway, settings, provider, databaseReady, keeper, context, wanted, verdict });
  } catch (caught) {
    return failed(expectedError(caught));
  }
}

function wantedClient(
  { owner, identity }: Gateway,
  provider: IdentityProvider | undefined,
): ClientLocation | undefined {
  if (identity === undefined || provider === undefined) return undefined;
  return { server: provider.server, realm: identity.realm, clientId: identityClientId(owner.uid) };
}

/** @returns the result that reports why the client could not be removed; undefined when it is gone. */
async function prune(
  client: RecordedClient,
  { owner }: Gateway,
  provider: IdentityProvider | undefined,
  keeper: RecordKeeper,
  context: ReconcileContext,
): Promise<IdentityResult | undefined> {
  if (provider?.server !== client.server) return otherServer(client);
  try {
    await removeClient(provider, client, context, owner.uid);
  } catch (error) {
    if (!isIdentityError(error, 'AlreadyExists')) throw error;
    const text = `Client ${client.clientId} of realm ${client.realm} is no longer asked for and not evenkeel's: remove it by hand.`;
    return { condition: conditionInput(TYPE, 'False', 'OwnershipConflict', text), open: false, failure: error };
  }
  await keeper.keep({ clients: keeper.record.clients.filter((each) => !sameClient(each, client)) });
  return undefined;
}

export function otherServer({ server, clientId }: ClientLocation): IdentityResult {
  const text = `Client ${clientId} was made on ${server}, which is not the installation's identity server: set it again, or remove the client by hand.`;
  const failure = new IdentityError('Invalid', text);
  return { condition: conditionInput(TYPE, 'False', 'IdentityServerChanged', text), open: false, failure };
}

async function ensureClient({
  object,
  gateway,
  settings,
  provider,
  databaseReady,
  keeper,
  context,
  wanted,
  verdict,
}: {
  readonly object: KubeObject;
  readonly gateway: Gateway;
  readonly settings: GatewaySettings;
  readonly provider: IdentityProvider;
  readonly databaseReady: boolean;
  readonly keeper: RecordKeeper;
  readonly context: ReconcileContext;
  readonly wanted: ClientLocation;
  readonly verdict: Exclude<RealmVerdict, { type: 'realm-refused' }>;
}): Promise<IdentityResult> {
  const { realm, clientId } = wanted;
  const { uid } = gateway.owner;
  const recorded = keeper.record.clients.find((client) => sameClient(client, wanted));
  if (recorded === undefined && verdict.type === 'hosts-refused') return refused(verdict);
  if (recorded === undefined && !databaseReady) return waitingForDatabase();
  const found = await provider.findClient(realm, clientId, { signal: context.signal });
  const standing = found === undefined ? 'absent' : clientStanding(found, uid, recorded);
  if (standing === 'foreign' || (standing === 'unowned' && !gateway.adopt)) {
    const text = `Client ${clientId} of realm ${realm} is there and not evenkeel's: it is left as it is. Remove it, or set spec.adoption to IfUnowned if nobody owns it.`;
    // No event reports its removal, so the pass is retried.
    const failure = new IdentityError('AlreadyExists', text);
    return { condition: conditionInput(TYPE, 'False', 'OwnershipConflict', text), open: false, failure };
  }
  if (found === undefined && verdict.type === 'hosts-refused') return refused(verdict);
  if (found === undefined && recorded?.made !== true && !databaseReady) return waitingForDatabase();
  // A redirect to a host of another Gateway would send the logins of this Gateway's users there.
  const looked = await observe(() => hostsOfOlderGateways(object, redirectHosts(gateway), settings, context));
  if (isUnread(looked)) return unseenGateways(looked.error);
  const taken = looked.type === 'found' ? looked.value : [];
  const others = keeper.record.clients.filter((client) => !sameClient(client, wanted));
  const id = found?.id ?? recorded?.id ?? provenClientId(keeper.seed, realm, clientId);
  // Recorded before the client is created or changed. Otherwise a crash could leave a client that no pass finds again.
  if (recorded?.id !== id)
    await keeper.keep({ clients: [...others, { ...wanted, made: recorded?.made ?? false, id }] });
  const asked = redirectHosts(gateway).filter((host) => isGranted(host, verdict, found));
  const hosts = asked.filter((host) => !taken.includes(host));
  const desired = { id, ...desiredClient(gateway, hosts) };
  await syncClient(provider, realm, desired, found, context, uid);
  await keeper.keep({ clients: [...others, { ...wanted, made: true, id }] });
  if (verdict.type === 'hosts-refused') return refused(verdict);
  const without =
    taken.length === 0 ? '' : `, without the redirect hosts that older Gateways hold: ${listedNames(taken)}`;
  const text = `Client ${clientId} of realm ${realm} is as the spec asks${without}.`;
  return { condition: conditionInput(TYPE, 'True', 'ClientReady', text), open: true };
}

function unseenGateways(error: ReadError): IdentityResult {
  const condition = failureCondition(TYPE, 'Looking for other Gateways of the redirect hosts', error);
  return { condition, open: false, failure: error };
}

/** When a permission is removed, a client keeps the redirect hosts that it has, and gets no new ones. */
function isGranted(host: string, verdict: RealmVerdict, found: FoundClient | undefined): boolean {
  if (verdict.type !== 'hosts-refused' || !verdict.hosts.includes(host)) return true;
  return found?.redirectUris.includes(redirectUri(host)) === true;
}

/** Not a failure: a change of the settings or of the spec starts the next pass. */
function refused(verdict: Exclude<RealmVerdict, { type: 'permitted' }>): IdentityResult {
  const isRealm = verdict.type === 'realm-refused';
  const reason = isRealm ? 'RealmNotPermitted' : 'RedirectHostNotPermitted';
  const what = isRealm ? `the realm ${verdict.realm}` : `these redirect hosts: ${listedNames(verdict.hosts)}`;
  const text = `The settings do not permit this namespace ${what}. What is there stays, and nothing new is made. See groups.control-plane.identity.realms.`;
  return { condition: conditionInput(TYPE, 'False', reason, text), open: false };
}

function waitingForDatabase(): IdentityResult {
  const text = 'The identity client is made once the database is ready.';
  return { condition: conditionInput(TYPE, 'False', 'WaitingForDatabase', text), open: false };
}

function failed(error: ReadError): IdentityResult {
  if (isIdentityError(error, 'NotFound')) {
    const text = 'The realm does not exist on the identity server: create it, or correct spec.identity.realm.';
    return { condition: conditionInput(TYPE, 'False', 'RealmNotFound', text), open: false, failure: error };
  }
  if (isIdentityError(error, 'Unauthorized', 'Forbidden')) {
    const text =
      'The identity server denies evenkeel what it needs: check the credentials and roles of its service account.';
    return { condition: conditionInput(TYPE, 'Unknown', 'IdentityAccessDenied', text), open: false, failure: error };
  }
  const { reason }: { reason: string } = error;
  const text = `The identity server gave no usable answer (${reason}); it is tried again.`;
  return { condition: conditionInput(TYPE, 'Unknown', 'IdentityUnavailable', text), open: false, failure: error };
}
