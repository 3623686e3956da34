import type { VersionedType } from './kinds.ts';
import type { Subresource } from './resource-type.ts';

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
  /**
   * How the object came about: as a body, by a patch, or by server-side apply, which brings its field management along
   * where it is recorded for the others.
   */
  readonly origin: 'body' | 'patch' | 'apply';
  readonly subresource: Subresource;
  readonly fieldValidation: FieldValidation;
  /** Takes warnings for the client. */
  readonly warn: (text: string) => void;
}

/** The options of a write that the server does on its own account. */
export const internalWrite: WriteOptions = {
  dryRun: false,
  manager: 'kube-controller-manager',
  origin: 'body',
  subresource: '',
  fieldValidation: 'Ignore',
  warn: () => {},
};
