/** What an operator may ask of the account that a deployment lies in. Methods reject with InfrastructureError. */
export interface CloudAccount {
  /** Undefined when there is no such table. */
  table(name: string): Promise<{ readonly arn: string; readonly status: string } | undefined>;
  /** How far the account's clock is ahead of this machine's, in milliseconds; behind when negative. To a second or so. */
  clockAheadMs(): Promise<number>;
}
