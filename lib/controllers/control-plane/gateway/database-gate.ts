import { type ConditionInput, readConditions } from '../../../core/conditions.ts';
import type { KubeObject } from '../../../core/kube-object.ts';
import { conditionInput } from '../../../kit/conditions.ts';
import { failureCondition } from '../../../kit/failure-conditions.ts';
import { isUnread, type Observation } from '../../../kit/observation.ts';
import { shownUids } from '../managed-database/database-record.ts';
import type { ReadError } from '../read-error.ts';

export interface DatabaseGate {
  readonly condition: ConditionInput;
  readonly open: boolean;
  /** The UID of the ManagedDatabase; undefined when it is absent or could not be read. */
  readonly uid: string | undefined;
  /** The UID of the database's own namespace, as recorded in its status. */
  readonly namespaceUid?: string | undefined;
  readonly failure?: ReadError;
}

const TYPE = 'DatabaseReady';

/** Pure: the state that the ManagedDatabase reports at its current generation. */
export function databaseGate(name: string, observed: Observation<KubeObject>): DatabaseGate {
  if (isUnread(observed)) {
    const condition = failureCondition(TYPE, `Reading ManagedDatabase ${name}`, observed.error);
    return { condition, open: false, uid: undefined, failure: observed.error };
  }
  if (observed.type === 'absent') {
    const text = `ManagedDatabase ${name} does not exist in this namespace: create it.`;
    return { condition: conditionInput(TYPE, 'False', 'DatabaseNotFound', text), open: false, uid: undefined };
  }
  const { metadata, status } = observed.value;
  const { uid } = metadata;
  const { namespace: namespaceUid } = shownUids(status);
  if (metadata.deletionTimestamp !== undefined) {
    const text = `ManagedDatabase ${name} is being deleted and waits for this Gateway to go.`;
    return { condition: conditionInput(TYPE, 'False', 'DatabaseTerminating', text), open: false, uid, namespaceUid };
  }
  const ready = readConditions(status).find(({ type }) => type === 'Ready');
  const isCurrent = ready !== undefined && ready.observedGeneration === metadata.generation;
  if (ready?.status === 'True' && isCurrent) {
    const condition = conditionInput(TYPE, 'True', 'DatabaseReady', `ManagedDatabase ${name} is ready.`);
    return { condition, open: true, uid, namespaceUid };
  }
  const text = `ManagedDatabase ${name} is not ready${ready === undefined ? '' : ` (${ready.reason})`}.`;
  return { condition: conditionInput(TYPE, 'False', 'DatabaseNotReady', text), open: false, uid, namespaceUid };
}
