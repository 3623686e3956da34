import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import {
  type ClientRole,
  type FoundClient,
  IdentityError,
  type IdentityProvider,
  isIdentityError,
} from '../../../ports/identity-provider.ts';
import {
  type ClientAction,
  type ClientBelongings,
  clientStanding,
  type DesiredClient,
  planClient,
} from './desired-client.ts';
import type { RecordedClient } from './gateway-record.ts';

/** Makes the client in the provider what it is to be, each change only while the lease is surely held. */
export async function syncClient(
  provider: IdentityProvider,
  realm: string,
  desired: DesiredClient & { readonly id: string },
  found: FoundClient | undefined,
  context: ReconcileContext,
  uid: string,
): Promise<void> {
  const sync = new ClientSync(provider, realm, desired, context, found?.id);
  try {
    const belongings = await belongingsOf(provider, realm, found, context);
    for (const action of planClient(desired, found, belongings, uid)) await sync.take(action);
  } catch (error) {
    await sync.undo();
    // The realm is there: it was read a moment ago.
    if (!isIdentityError(error, 'NotFound')) throw error;
    throw new IdentityError('Invalid', `client ${desired.clientId} of realm ${realm} went while it was changed`);
  }
}

async function belongingsOf(
  provider: IdentityProvider,
  realm: string,
  found: FoundClient | undefined,
  { signal }: ReconcileContext,
): Promise<ClientBelongings> {
  if (found === undefined) return { roles: [], scopeMappings: [] };
  return {
    roles: await provider.listRoles(realm, found.id, { signal }),
    scopeMappings: await provider.listScopeMappings(realm, found.id, { signal }),
  };
}

class ClientSync {
  private readonly provider: IdentityProvider;
  private readonly realm: string;
  private readonly desired: DesiredClient & { readonly id: string };
  private readonly context: ReconcileContext;
  private id: string | undefined;
  /** What this pass created, and nothing else, is cleaned up when it fails. */
  private createdClient = false;
  private readonly createdRoles: ClientRole[] = [];
  /** The realm's client scopes by name: read only where one is to be added or removed. */
  private scopeIds: ReadonlyMap<string, string> | undefined;

  constructor(
    provider: IdentityProvider,
    realm: string,
    desired: DesiredClient & { readonly id: string },
    context: ReconcileContext,
    id: string | undefined,
  ) {
    this.provider = provider;
    this.realm = realm;
    this.desired = desired;
    this.context = context;
    this.id = id;
  }

  async take(action: ClientAction): Promise<void> {
    const { provider, realm, desired, context } = this;
    const options = { signal: context.signal };
    context.assertLease();
    if (action.type === 'create-client') {
      this.id = await provider.createClient(realm, desired, options);
      this.createdClient = true;
      return;
    }
    const id = this.id ?? '';
    switch (action.type) {
      case 'update-client':
        return await provider.updateClient(realm, id, desired.settings, options);
      case 'delete-scope-mapping':
        return await provider.deleteScopeMapping(realm, id, action.mapping, options);
      case 'remove-scope':
      case 'add-scope':
        return await this.changeScope(action, id);
      case 'create-mapper':
        return await provider.createMapper(realm, id, action.mapper, options);
      case 'update-mapper':
        return await provider.updateMapper(realm, id, action.mapper, options);
      case 'delete-mapper':
        return await provider.deleteMapper(realm, id, action.mapper.id, options);
      case 'create-role':
        await provider.createRole(realm, id, action.role, options);
        this.createdRoles.push(action.role);
        return;
      case 'delete-role':
        return await provider.deleteRole(realm, id, action.name, options);
    }
  }

  /** A scope that the realm does not have is neither on the client nor can it be put there. */
  private async changeScope({ type, name }: ClientAction & { readonly name: string }, id: string): Promise<void> {
    const { provider, realm, context } = this;
    const options = { signal: context.signal };
    this.scopeIds ??= new Map((await provider.listScopes(realm, options)).map((scope) => [scope.name, scope.id]));
    const scopeId = this.scopeIds.get(name);
    if (scopeId === undefined) return;
    context.assertLease();
    if (type === 'add-scope') await provider.addDefaultScope(realm, id, scopeId, options);
    else await provider.removeScope(realm, id, scopeId, options);
  }

  /** As far as it goes: what it cannot remove, the next pass finds as its own and goes on with. */
  async undo(): Promise<void> {
    const { provider, realm, id, context } = this;
    if (id === undefined) return;
    const options = { signal: context.signal };
    try {
      if (this.createdClient) {
        context.assertLease();
        await provider.deleteClient(realm, id, options);
        return;
      }
      for (const { name } of this.createdRoles) {
        context.assertLease();
        await provider.deleteRole(realm, id, name, options);
      }
    } catch {
      // The error that led here is the one to tell of.
    }
  }
}

/**
 * Deletes a client of ours, and confirms by a fresh read that it is gone. Since no event tells of what becomes of a client, whatever
 * stands in the way is an error, which is retried.
 */
export async function removeClient(
  provider: IdentityProvider,
  recorded: RecordedClient,
  context: ReconcileContext,
  uid: string,
): Promise<{ readonly type: 'absent' }> {
  const { realm, clientId } = recorded;
  const options = { signal: context.signal };
  const found = await provider.findClient(realm, clientId, options);
  if (found === undefined) return { type: 'absent' };
  if (clientStanding(found, uid, recorded) !== 'ours') throw notOurs(realm, clientId);
  context.assertLease();
  await provider.deleteClient(realm, found.id, options);
  const left = await provider.findClient(realm, clientId, options);
  if (left === undefined) return { type: 'absent' };
  if (clientStanding(left, uid, recorded) !== 'ours') throw notOurs(realm, clientId);
  throw new IdentityError('ServerError', `client ${clientId} of realm ${realm} is there after it was deleted`);
}

function notOurs(realm: string, clientId: string): IdentityError {
  return new IdentityError(
    'AlreadyExists',
    `client ${clientId} of realm ${realm} is not evenkeel's: it is left as it is`,
  );
}
