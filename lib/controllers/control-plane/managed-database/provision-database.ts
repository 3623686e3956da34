import type { ConditionInput } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { Namespaces } from '../../../core/resource-type.ts';
import { conditionInput, notEvaluated } from '../../../kit/conditions.ts';
import type { Ensured } from '../../../kit/ensure-owned.ts';
import { failureCondition } from '../../../kit/failure-conditions.ts';
import { isApiError } from '../../../ports/cluster-api.ts';
import { Clusters } from '../kinds.ts';
import { CLUSTER_NAME, databaseNamespace } from '../names.ts';
import { ensureObject, knownUid, provingUid } from '../owned-objects.ts';
import { type Owner, ownerOf } from '../ownership.ts';
import { expectedError, type ReadError } from '../read-error.ts';
import { clusterHealth } from './cluster-health.ts';
import {
  type DatabaseRecord,
  databaseProof,
  databaseValues,
  type SeededDatabaseRecord,
  shownUids,
} from './database-record.ts';
import type { DatabaseSpec } from './database-spec.ts';
import { type DatabasePhase, previousPhase, statusWithRecord } from './database-status.ts';
import { desiredCluster, desiredNamespace, shrinks } from './desired-objects.ts';

export interface Provision {
  readonly record: DatabaseRecord;
  readonly phase: DatabasePhase;
  /** Provisioned and Ready. */
  readonly conditions: readonly ConditionInput[];
  readonly failure?: ReadError;
  /** A person must act. The status reports it, and the pass is not retried. */
  readonly terminal?: ConditionInput;
}

/** Creates and repairs the namespace and the Cluster, and reports the state of the Cluster. */
export async function provisionDatabase(
  object: KubeObject,
  spec: DatabaseSpec,
  record: SeededDatabaseRecord,
  context: ReconcileContext,
): Promise<Provision> {
  const pass = new ProvisioningPass(object, spec, record, context);
  try {
    return await pass.run();
  } catch (caught) {
    const error = expectedError(caught);
    const isMissing = isApiError(error, 'KindMissing');
    const provisioned = isMissing
      ? conditionInput(
          'Provisioned',
          'False',
          'ProviderNotInstalled',
          'CloudNativePG is not installed: install its operator.',
        )
      : failureCondition('Provisioned', 'Reading or changing the objects of the database', error);
    return {
      record: pass.record,
      phase: previousPhase(object.status),
      conditions: [provisioned, { ...provisioned, type: 'Ready' }],
      failure: error,
    };
  }
}

class ProvisioningPass {
  record: SeededDatabaseRecord;
  private readonly object: KubeObject;
  private readonly spec: DatabaseSpec;
  private readonly context: ReconcileContext;
  private readonly owner: Owner;

  constructor(object: KubeObject, spec: DatabaseSpec, record: SeededDatabaseRecord, context: ReconcileContext) {
    this.object = object;
    this.spec = spec;
    this.record = record;
    this.context = context;
    this.owner = ownerOf(object);
  }

  async run(): Promise<Provision> {
    const { uid } = this.owner;
    // Read first: when CloudNativePG is not installed, nothing is created.
    const cluster = await this.context.get(Clusters, { namespace: databaseNamespace(uid), name: CLUSTER_NAME });
    const namespace = await this.ensureNamespace();
    if (namespace.type !== 'present') return this.stopped('Namespace', namespace);
    await this.keep({ namespaceUid: namespace.object.metadata.uid });
    if (cluster === undefined && this.record.heldData && !this.spec.rebuild) return this.dataMissing();
    return await this.provisionCluster(cluster);
  }

  private async ensureNamespace(): Promise<Ensured> {
    const wanted = { type: Namespaces, object: desiredNamespace(this.owner.uid, this.spec) };
    const present = await this.context.get(Namespaces, { namespace: '', name: wanted.object.metadata.name });
    if (present === undefined) await this.keep({ namespaceUid: '', ...this.proven('namespace') });
    const uid = knownUid(this.record.namespaceUid, shownUids(this.object.status).namespace, present);
    return await ensureObject(this.context, wanted, this.rules('namespace', provingUid(uid)));
  }

  private async provisionCluster(present: KubeObject | undefined): Promise<Provision> {
    if (present === undefined) await this.keep({ clusterUid: '', ...this.proven('cluster') });
    const size = present === undefined ? undefined : clusterHealth(present).size;
    const wanted = { type: Clusters, object: desiredCluster(this.owner.uid, this.spec, size) };
    const uid = knownUid(this.record.clusterUid, shownUids(this.object.status).cluster, present);
    const ensured = await ensureObject(this.context, wanted, this.rules('cluster', uid));
    if (ensured.type !== 'present') return this.stopped('Cluster', ensured);
    const health = clusterHealth(ensured.object);
    await this.keep({
      clusterUid: ensured.object.metadata.uid,
      heldData: this.record.heldData || health.ready,
    });
    if (shrinks(this.spec, size)) {
      const text = `spec.storage is smaller than the volumes of ${size}, which cannot shrink: set it to at least that.`;
      return this.refused(conditionInput('Provisioned', 'False', 'StorageMayNotShrink', text));
    }
    const provisioned = conditionInput('Provisioned', 'True', 'ClusterApplied', 'The Cluster is as its spec asks.');
    const count = `${health.readyInstances}/${health.instances} instances ready`;
    const isWhole = health.readyInstances >= health.instances;
    const ready = health.ready
      ? conditionInput('Ready', 'True', 'ClusterReady', `The Cluster serves: ${count}.`)
      : conditionInput('Ready', 'False', 'ClusterNotReady', `The Cluster does not serve yet: ${count}.`);
    const fallen = this.record.heldData ? 'Degraded' : 'Provisioning';
    const phase = health.ready ? (isWhole ? 'Ready' : 'Degraded') : fallen;
    return { record: this.record, phase, conditions: [provisioned, ready] };
  }

  private dataMissing(): Provision {
    return this.refused(
      conditionInput(
        'Provisioned',
        'False',
        'DataMissing',
        'The Cluster held data and is gone. Restore it, or set spec.rebuild to true to start with an empty one.',
      ),
    );
  }

  private stopped(what: string, ensured: Exclude<Ensured, { type: 'present' }>): Provision {
    if (ensured.type === 'conflict') {
      const text = `A ${what} of the name is there and not evenkeel's: it is left as it is. Remove or rename it.`;
      return this.refused(conditionInput('Provisioned', 'False', 'OwnershipConflict', text));
    }
    const provisioned = conditionInput(
      'Provisioned',
      'False',
      `${what}Terminating`,
      `The ${what} is being deleted; it is created again when it is gone.`,
    );
    return {
      record: this.record,
      phase: this.record.heldData ? 'Degraded' : 'Provisioning',
      conditions: [provisioned, notEvaluated('Ready')],
    };
  }

  private refused(provisioned: ConditionInput): Provision {
    const conditions = [provisioned, { ...provisioned, type: 'Ready' }];
    return { record: this.record, phase: 'Failed', conditions, terminal: provisioned };
  }

  private rules(part: 'namespace' | 'cluster', recordedUid: string | undefined) {
    const proof = databaseProof(this.record, part);
    return { owner: this.owner, mayCreate: true, adopt: false, recordedUid: recordedUid || undefined, proof };
  }

  /** The proof for every object that is created from now on. */
  private proven(part: 'namespace' | 'cluster') {
    return { unproven: (this.record.unproven ?? []).filter((each) => each !== part) };
  }

  /** Saves the record before the object is created or the status reports it. */
  private async keep(change: Partial<Omit<DatabaseRecord, 'seed'>>): Promise<void> {
    const record = { ...this.record, ...change };
    await this.context.saveValues(databaseValues(record));
    this.record = record;
    // The status must name an object before the object is created. For an existing object, the status may follow at the
    // end of the pass.
    if (change.namespaceUid === '' || change.clusterUid === '') {
      await this.context.publishStatus(statusWithRecord(this.object, record));
    }
  }
}
