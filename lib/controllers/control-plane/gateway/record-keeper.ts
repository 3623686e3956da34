import { jsonEqual } from '../../../core/json-merge.ts';
import type { JsonObject, KubeObject } from '../../../core/kube-object.ts';
import type { ReconcileContext } from '../../../core/reconcile-context.ts';
import { statusFields } from '../../../kit/conditions.ts';
import { databaseNamespace, gatewayNamespace } from '../names.ts';
import {
  type GatewayRecord,
  gatewayValues,
  hasFinished,
  type Milestone,
  namespaceProof,
  seededRecord,
  shownNamespaceUid,
} from './gateway-record.ts';

/** Holds the record of a pass. It writes each change of the record before the effect that the change announces. */
export class RecordKeeper {
  record: GatewayRecord;
  private readonly object: KubeObject;
  private readonly context: ReconcileContext;

  constructor(object: KubeObject, record: GatewayRecord, context: ReconcileContext) {
    this.object = object;
    this.record = record;
    this.context = context;
  }

  /** @throws EvenkeelError before the seed was saved. */
  get seed(): string {
    return namespaceProof(this.record).seed;
  }

  get shownNamespaceUid(): string | undefined {
    return shownNamespaceUid(this.object.status);
  }

  /** Saves the record under the lease, and shows it in the status if the status has its fields. */
  async keep(change: Partial<GatewayRecord>): Promise<void> {
    const before = this.record;
    const record = { ...before, ...change };
    await this.context.saveValues(gatewayValues(record));
    this.record = record;
    const [shown, now] = [recordJson(this.object, before), recordJson(this.object, record)];
    if (!jsonEqual(shown, now)) await this.context.publishStatus(statusWithRecord(this.object, record));
  }

  /** Saves the seed before any object is created or checked: without a seed nothing can be proven. */
  async keepSeed(newSeed: () => string): Promise<void> {
    if (this.record.seed !== undefined) return;
    const record = seededRecord(this.record, newSeed);
    await this.context.saveValues(gatewayValues(record));
    this.record = record;
  }

  /** Records that every existing object carries its proof. */
  async keepProven(): Promise<void> {
    if (this.record.unproven?.length) await this.keep({ unproven: [] });
  }

  /** Records a known UID. It is shown with the status at the end, because the object already exists. */
  async keepNamespace(namespaceUid: string): Promise<void> {
    const record = { ...this.record, namespaceUid };
    await this.context.saveValues(gatewayValues(record));
    this.record = record;
  }

  async finish(milestone: Milestone): Promise<void> {
    if (!hasFinished(this.record, milestone)) await this.keep({ stage: milestone });
  }
}

/** The status that was read, with the present record. */
export function statusWithRecord(object: KubeObject, record: GatewayRecord): JsonObject {
  const { namespace: _, identity: __, database: ___, ...rest } = statusFields(object.status);
  return { ...rest, ...recordJson(object, record) };
}

/** The fields of the status that show the record. */
export function recordJson(
  { metadata }: KubeObject,
  { namespaceUid, clients, databaseUids }: GatewayRecord,
): JsonObject {
  const client = clients.at(-1);
  const databaseUid = databaseUids.at(-1);
  return {
    ...(namespaceUid !== undefined && {
      namespace: { name: gatewayNamespace(metadata.uid), ...(namespaceUid !== '' && { uid: namespaceUid }) },
    }),
    ...(client !== undefined && {
      identity: { server: client.server, realm: client.realm, clientId: client.clientId },
    }),
    ...(databaseUid !== undefined && { database: { uid: databaseUid, namespace: databaseNamespace(databaseUid) } }),
  };
}
