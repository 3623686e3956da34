import { PROGRESS_CONDITIONS } from '../../../core/conditions.ts';
import type { Controller, ReconcileResult } from '../../../core/controller.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { type Outcome, retry, settled, terminal } from '../../../core/outcome.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { CustomResourceDefinitions, Namespaces } from '../../../core/resource-type.ts';
import { conditionInput } from '../../../kit/conditions.ts';
import { firstFailure } from '../../../kit/observation.ts';
import { CLEANUP_PENDING, releasedFields } from '../cleanup.ts';
import { Clusters, Gateways, ManagedDatabases } from '../kinds.ts';
import { isProvenOwned } from '../proof.ts';
import { type DatabaseSettings, databaseValues, readDatabaseRecord, seededRecord } from './database-record.ts';
import { parseDatabase } from './database-spec.ts';
import { databaseStatus } from './database-status.ts';
import { finalizeDatabase } from './finalize-database.ts';
import { provisionDatabase } from './provision-database.ts';
import { inUse, readReferences } from './references.ts';

export const DATABASE_FINALIZER = 'hypershell.evenkeel.dev/managed-database';

/** Creates a PostgreSQL cluster in its own namespace, and does not delete it while a Gateway refers to it. */
export function managedDatabaseController(settings: DatabaseSettings): Controller {
  return {
    name: 'managed-database',
    group: 'control-plane',
    type: ManagedDatabases,
    owns: [Namespaces, Clusters],
    reads: [
      { type: Gateways, mode: 'watch' },
      { type: CustomResourceDefinitions, mode: 'poll' },
    ],
    reachesAllNamespaces: true,
    // Version 2: objects carry proofs; older objects are taken over.
    version: '2',
    conditions: ['Provisioned', 'InUse', CLEANUP_PENDING, 'Ready', ...PROGRESS_CONDITIONS],
    finalizer: DATABASE_FINALIZER,
    isOwned: isProvenOwned,
    reconcile: (object, context) => reconcile(object, context, settings),
    finalize: (object, context) => finalizeDatabase(object, context, settings),
    released: ({ status }) => releasedFields(status, ['namespace', 'cluster']),
  };
}

async function reconcile(
  object: KubeObject,
  context: ReconcileContext,
  { newSeed }: DatabaseSettings,
): Promise<ReconcileResult> {
  const record = seededRecord(readDatabaseRecord(context.values, object.status), newSeed);
  const references = await readReferences(object, context);
  const usage = inUse(references);
  const parsed = parseDatabase(object);
  if (!parsed.valid) {
    const conditions = [conditionInput('Provisioned', 'False', 'InvalidSpec', parsed.message), usage];
    const ready = conditionInput('Ready', 'False', 'InvalidSpec', parsed.message);
    const status = databaseStatus(object, record, 'Failed', [...conditions, ready], context.nowMs);
    return { outcome: terminal('InvalidSpec', parsed.message), status };
  }
  await context.saveValues(databaseValues(record));
  const provision = await provisionDatabase(object, parsed.spec, record, context);
  const conditions = [...provision.conditions, usage];
  const status = databaseStatus(object, provision.record, provision.phase, conditions, context.nowMs);
  const failure = provision.failure ?? firstFailure([references]);
  const progressing = provision.phase === 'Provisioning' || provision.phase === 'Degraded';
  return { outcome: outcomeOf(failure, provision.terminal), progressing, status };
}

function outcomeOf(failure: unknown, refusal: { reason: string; message: string } | undefined): Outcome {
  if (failure !== undefined) return retry(failure);
  return refusal === undefined ? settled() : terminal(refusal.reason, refusal.message);
}
