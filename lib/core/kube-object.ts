/** A JSON document as the Kubernetes API serves it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** `metav1.ObjectMeta`, the fields this package reads. */
export interface ObjectMeta {
  name: string;
  /** Absent for cluster-scoped objects. */
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** An object as it was read. `spec`, `status` and `data` are as the server sent them: parse them before use. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** An object to create or apply. Fields that the server fills in are optional. */
export interface DesiredObject {
  apiVersion: string;
  kind: string;
  metadata: Omit<Partial<ObjectMeta>, 'name'> & { name: string };
  [field: string]: unknown;
}

/** Names one object of a kind. The namespace is empty for cluster-scoped kinds. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The controller owner reference of an object, if it has one. */
export function controllerOwner(metadata: Pick<ObjectMeta, 'ownerReferences'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}
