import type { VersionedType } from './kinds.ts';
import type { Subresource } from './resource-type.ts';

/** The object of a write, or the name under which the write creates it. */
export interface Target extends VersionedType {
  /** Empty for cluster-scoped types. */
  readonly namespace: string;
  readonly name: string;
}

/** What the client wants for fields that the schema does not declare. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The field manager in whose name the write is recorded. */
  readonly manager: string;
  /**
   * Where the object comes from: a body, a patch, or server-side apply. Server-side apply has already recorded the
   * field managers; for the others they are recorded after the write.
   */
  readonly origin: 'body' | 'patch' | 'apply';
  readonly subresource: Subresource;
  readonly fieldValidation: FieldValidation;
  /** Receives warnings for the client. */
  readonly warn: (text: string) => void;
}

/** The options of a write that the server itself makes. */
export const internalWrite: WriteOptions = {
  dryRun: false,
  manager: 'kube-controller-manager',
  origin: 'body',
  subresource: '',
  fieldValidation: 'Ignore',
  warn: () => {},
};
