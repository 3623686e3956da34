import { ensureObject, type JsonObject, objectsAt } from '../json.ts';

export const namesAccepted = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
export const established = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
export const notEstablished = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
export const deletionPending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};
export const deletionInProgress = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

/** Sets a condition in the status; its lastTransitionTime changes only when its status changes. */
export function setDefinitionCondition(crd: JsonObject, condition: JsonObject, now: string): void {
  const status = ensureObject(crd, 'status');
  const conditions = objectsAt(status, 'conditions');
  const present = conditions.find((each) => each.type === condition.type);
  const lastTransitionTime = present?.status === condition.status ? (present?.lastTransitionTime ?? now) : now;
  const written = { lastTransitionTime, ...condition };
  status.conditions =
    present === undefined ? [...conditions, written] : conditions.map((each) => (each === present ? written : each));
}
