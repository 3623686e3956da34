import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Namespaces, Secrets } from '../../../core/resource-type.ts';
import { DatabaseRoles, Databases } from '../kinds.ts';
import { databaseNamespace, databaseObjectName, gatewayNamespace } from '../names.ts';
import { ensureObject, type OwnRules, removeObject, willBeOurs } from '../owned-objects.ts';
import type { OwnerProof } from '../owner-proof.ts';
import { standingOf } from '../ownership.ts';
import {
  CREDENTIALS_NAME,
  type Credentials,
  credentialsOf,
  desiredAuthority,
  desiredCopy,
  desiredDatabase,
  desiredRole,
  isApplied,
  newCredentials,
} from './desired-credentials.ts';
import { contentProof, databaseProof, hasFinished } from './gateway-record.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import type { Gateway } from './gateway-spec.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { attempt, DONE, ensuredResult, type StepResult, waiting, worst } from './step.ts';

export interface CredentialsInput {
  readonly gateway: Gateway;
  readonly databaseUid: string;
  /** The UID of the ManagedDatabase's namespace, from its status; undefined when the status could not be read. */
  readonly databaseNamespaceUid: string | undefined;
  readonly rules: OwnRules;
  readonly mayDelete: boolean;
  readonly settings: GatewaySettings;
  readonly keeper: RecordKeeper;
  readonly context: ReconcileContext;
}

export interface CredentialsResult {
  readonly result: StepResult;
  /** The Secret that the Pods mount; undefined when it is absent or could not be read. */
  readonly mounted: KubeObject | undefined;
}

/**
 * The password of the role is in a Secret next to the Cluster. The Secret that the Pods mount is a copy of it. Each one
 * restores the other. New credentials are created only when both are missing, because replacing credentials in use would lock
 * the gateway out.
 */
export async function credentialsStep(input: CredentialsInput): Promise<CredentialsResult> {
  const { context, gateway, rules, keeper } = input;
  const isFinished = hasFinished(keeper.record, 'credentials');
  let mounted: KubeObject | undefined;
  const result = await attempt('Making the database credentials', async () => {
    const copy = await context.get(Secrets, copyName(gateway));
    mounted = copy;
    const usable = await databaseNamespaceIsUsable(input);
    if (usable.type !== 'done') return usable;
    const beside = { ...input, rules: { ...rules, proof: databaseProof(keeper.record, input.databaseUid) } };
    const authority = await ensureAuthority(beside, copy, contentProof(keeper.record));
    if (authority.type !== 'made') return authority;
    const rows = await attempt('Making the role and the database', () => ensureDatabaseObjects(beside));
    const mayCreate = rules.mayCreate && (isFinished || rows.type === 'done');
    const copied = await ensureCopy({ ...input, rules: { ...rules, mayCreate } }, authority.credentials, (secret) => {
      mounted = secret;
    });
    return worst([rows, copied]);
  });
  return { result, mounted };
}

/**
 * Objects next to the Clusters of databases that no longer belong to this Gateway, e.g. after its ManagedDatabase was created
 * again.
 */
export async function pruneOldDatabases({
  gateway,
  databaseUid,
  mayDelete,
  keeper,
  context,
}: CredentialsInput): Promise<StepResult> {
  if (!mayDelete) return DONE;
  const { owner } = gateway;
  return await attempt('Removing objects of an earlier database', async () => {
    for (const uid of keeper.record.databaseUids) {
      if (uid === databaseUid) continue;
      const name = { namespace: databaseNamespace(uid), name: databaseObjectName(owner.uid) };
      for (const type of [Databases, DatabaseRoles, Secrets]) {
        const removed = await removeObject(context, type, name, { owner, proof: databaseProof(keeper.record, uid) });
        if (removed.type === 'pending')
          return ensuredResult(type.kind, { type: 'terminating', object: removed.object });
      }
      await keeper.keep({ databaseUids: keeper.record.databaseUids.filter((each) => each !== uid) });
    }
    return DONE;
  });
}

/** Writes credentials only into the namespace of the ManagedDatabase itself. */
async function databaseNamespaceIsUsable({
  databaseUid,
  databaseNamespaceUid,
  context,
}: CredentialsInput): Promise<StepResult> {
  const name = databaseNamespace(databaseUid);
  const namespace = await context.get(Namespaces, { namespace: '', name });
  if (namespace === undefined) return waiting('WaitingForDatabase', "The database's namespace is not there yet.");
  if (standingOf(namespace, databaseUid) !== 'ours') {
    return {
      type: 'conflict',
      message: `Namespace ${name} is not the ManagedDatabase's: no credentials are put there.`,
    };
  }
  if (namespace.metadata.deletionTimestamp !== undefined) {
    return waiting('WaitingForDatabase', "The database's namespace is being deleted.");
  }
  // Created again, by the ManagedDatabase or by somebody who copied its marks. The status of the ManagedDatabase will show
  // which.
  const isRecorded = databaseNamespaceUid === undefined || databaseNamespaceUid === namespace.metadata.uid;
  return isRecorded ? DONE : waiting('WaitingForDatabase', 'The ManagedDatabase has not recorded its namespace yet.');
}

async function ensureAuthority(
  { gateway, databaseUid, rules, settings, keeper, context }: CredentialsInput,
  copy: KubeObject | undefined,
  copyProof: OwnerProof,
): Promise<StepResult | { readonly type: 'made'; readonly credentials: Credentials }> {
  const { uid } = gateway.owner;
  const name = { namespace: databaseNamespace(databaseUid), name: databaseObjectName(uid) };
  const present = await context.get(Secrets, name);
  if (willBeOurs(present, rules) && keeper.record.databaseUids.at(-1) !== databaseUid) {
    const others = keeper.record.databaseUids.filter((each) => each !== databaseUid);
    await keeper.keep({ databaseUids: [...others, databaseUid] });
  }
  const isOwnCopy = copy !== undefined && standingOf(copy, uid, undefined, copyProof) === 'ours';
  const kept = credentialsOf(present) ?? (isOwnCopy ? credentialsOf(copy) : undefined);
  const credentials = kept ?? newCredentials(uid, settings.newPassword());
  const object = desiredAuthority(uid, databaseUid, credentials);
  const ensured = await ensureObject(context, { type: Secrets, object, createOnly: true }, rules);
  if (ensured.type !== 'present') return ensuredResult('Secret', ensured);
  if (credentialsOf(ensured.object) !== undefined) return { type: 'made', credentials };
  return waiting(
    'CredentialsUnusable',
    `Secret ${name.namespace}/${name.name} has no username and password: put the role's there, or delete it.`,
  );
}

/**
 * For the first creation, each object waits for the one before: a Database needs its owner role, and a gateway needs
 * its database.
 */
async function ensureDatabaseObjects({ gateway, databaseUid, rules, context }: CredentialsInput): Promise<StepResult> {
  const { uid } = gateway.owner;
  const role = await ensureObject(context, { type: DatabaseRoles, object: desiredRole(uid, databaseUid) }, rules);
  if (role.type !== 'present') return ensuredResult('DatabaseRole', role);
  const isRoleApplied = isApplied(role.object);
  const database = await ensureObject(
    context,
    { type: Databases, object: desiredDatabase(uid, databaseUid) },
    { ...rules, mayCreate: rules.mayCreate && isRoleApplied },
  );
  if (database.type === 'withheld' && !isRoleApplied) {
    return waiting('WaitingForRole', 'CloudNativePG has not made the role yet.');
  }
  if (database.type !== 'present') return ensuredResult('Database', database);
  return isRoleApplied && isApplied(database.object)
    ? DONE
    : waiting('WaitingForDatabaseObjects', 'CloudNativePG has not made the role and the database yet.');
}

async function ensureCopy(
  { gateway, rules, context }: CredentialsInput,
  credentials: Credentials,
  onPresent: (secret: KubeObject) => void,
): Promise<StepResult> {
  const object = desiredCopy(gateway.owner.uid, credentials);
  const ensured = await ensureObject(context, { type: Secrets, object }, rules);
  if (ensured.type === 'present') onPresent(ensured.object);
  return ensuredResult('Secret', ensured);
}

function copyName({ owner }: Gateway) {
  return { namespace: gatewayNamespace(owner.uid), name: CREDENTIALS_NAME };
}
