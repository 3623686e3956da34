/** What users do about the limits of an installation. Each key names the limit that makes the actions possible. */
export const WITHDRAWALS = {
  pauses: ['pause', 'pause', 'unpause'],
  labels: ['take out', 'take out', 'put back', 'write aside'],
  namespaces: ['write elsewhere'],
} as const;
export type WithdrawalKind = (typeof WITHDRAWALS)[keyof typeof WITHDRAWALS][number];

/** A user pauses an object or takes it out of the scope, or gives it back. */
export interface PlannedWithdrawal {
  readonly atMs: number;
  readonly kind: WithdrawalKind;
  /** The seed of its choice of an object. */
  readonly seed: number;
}
