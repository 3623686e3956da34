import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import {
  type ClientRole,
  type FoundClient,
  type IdentityCallOptions,
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

/** Brings the client in the provider to its desired state. The lease is checked before each change. */
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
    // The realm exists: it was read a moment ago.
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
  /** When this pass fails, it removes what it created, and nothing else. */
  private createdClient = false;
  private readonly createdRoles: ClientRole[] = [];
  /** The client scopes of the realm, by name. Read only when one must be added or removed. */
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
    const options = changing(context);
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

  /** A scope that the realm does not have is not on the client, and cannot be added to it. */
  private async changeScope({ type, name }: ClientAction & { readonly name: string }, id: string): Promise<void> {
    const { provider, realm, context } = this;
    const options = changing(context);
    this.scopeIds ??= new Map(
      (await provider.listScopes(realm, { signal: context.signal })).map((scope) => [scope.name, scope.id]),
    );
    const scopeId = this.scopeIds.get(name);
    if (scopeId === undefined) return;
    context.assertLease();
    if (type === 'add-scope') await provider.addDefaultScope(realm, id, scopeId, options);
    else await provider.removeScope(realm, id, scopeId, options);
  }

  /** Removes as much as possible. The next pass recognizes the rest as its own and continues. */
  async undo(): Promise<void> {
    const { provider, realm, id, context } = this;
    if (id === undefined) return;
    const options = changing(context);
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
      // Ignored: the caller reports the error that caused this.
    }
  }
}

/**
 * Deletes our client, and confirms by a new read that it is gone. No event reports a change of a client, so every
 * obstacle is an error, which is retried.
 */
export async function removeClient(
  provider: IdentityProvider,
  recorded: RecordedClient,
  context: ReconcileContext,
  uid: string,
): Promise<{ readonly type: 'absent' }> {
  const { realm, clientId } = recorded;
  const reading = { signal: context.signal };
  const found = await provider.findClient(realm, clientId, reading);
  if (found === undefined) return { type: 'absent' };
  if (clientStanding(found, uid, recorded) !== 'ours') throw notOurs(realm, clientId);
  context.assertLease();
  await provider.deleteClient(realm, found.id, changing(context));
  const left = await provider.findClient(realm, clientId, reading);
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

/** Checks the lease before a change is sent, because a token for the change may have taken long. */
function changing(context: ReconcileContext): IdentityCallOptions {
  return { signal: context.signal, beforeSend: () => context.assertLease() };
}
