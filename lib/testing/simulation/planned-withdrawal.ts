/** What users do about the limits of an installation, by what makes it possible. */
export const WITHDRAWALS = {
  pauses: ['pause', 'pause', 'unpause'],
  labels: ['take out', 'take out', 'put back', 'write aside'],
  namespaces: ['write elsewhere'],
} as const;
export type WithdrawalKind = (typeof WITHDRAWALS)[keyof typeof WITHDRAWALS][number];

/** A user takes an object out of the installation's hands, or gives it back. */
export interface PlannedWithdrawal {
  readonly atMs: number;
  readonly kind: WithdrawalKind;
  /** Of the choices it makes: which object. */
  readonly seed: number;
}
