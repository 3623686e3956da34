import type { VersionedType } from '../kinds/kinds.ts';
import type { Subresource } from '../kinds/resource-type.ts';

/** The object, or the place for one, that a write is about. */
export interface Target extends VersionedType {
  /** Empty for cluster-scoped types. */
  readonly namespace: string;
  readonly name: string;
}

/** How the API server is asked to treat fields that the schema does not know. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The field manager that the write is recorded for. */
  readonly manager: string;
  /** A server-side apply brings its field management along; any other write has it recorded. */
  readonly operation: 'Apply' | 'Update';
  readonly subresource: Subresource;
  readonly fieldValidation: FieldValidation;
  /** Takes warnings for the client. */
  readonly warn: (text: string) => void;
}

/** The options of a write that the server does on its own account. */
export const internalWrite: WriteOptions = {
  dryRun: false,
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: '',
  fieldValidation: 'Ignore',
  warn: () => {},
};
