import type { ObjectName } from '../../core/kube-object.ts';
import type { ValuePattern } from './value-pattern.ts';

export const FORMATS = ['PEM', 'JSON', 'Base64', 'Certificate'] as const;
export type Format = (typeof FORMATS)[number];

/** The rules for one key of the Secret. Lengths are in bytes. */
export interface KeyRules {
  readonly name: string;
  readonly optional: boolean;
  readonly nonEmpty: boolean;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: ValuePattern | undefined;
  readonly format: Format | undefined;
}

/** A SecretContract with a valid specification. */
export interface SecretContract {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secret: ObjectName;
  readonly keys: readonly KeyRules[];
  readonly maxAgeMs: number | undefined;
  readonly ageSource: 'CreationTimestamp' | 'Annotation';
  /** The interval is undefined when the interval of the settings applies. */
  readonly externalSecret: { readonly name: string; readonly pollIntervalMs: number | undefined } | undefined;
  /** Names of Deployments in the contract's namespace. */
  readonly targets: readonly string[];
  readonly mutation: 'Disabled' | 'Annotate';
}

/** The answers of these rules reveal content, so they need permission. */
export function hasContentRules(contract: SecretContract): boolean {
  return contract.keys.some(
    ({ pattern, minLength, maxLength }) => pattern !== undefined || minLength !== undefined || maxLength !== undefined,
  );
}
