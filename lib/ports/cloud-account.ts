/** What an operator may ask of the account that a deployment lies in. Methods reject with InfrastructureError. */
export interface CloudAccount {
  /** Undefined when there is no such table. */
  table(name: string): Promise<{ readonly arn: string; readonly status: string } | undefined>;
  /** Deletes a table that holds nothing, even one that is protected against deletion. @returns false when it holds something. */
  deleteEmptyTable(name: string): Promise<boolean>;
  /** How many executions of functions the account permits at the same time, in its region. */
  concurrentExecutions(): Promise<number>;
  /** How far the account's clock is ahead of this machine's, in milliseconds; behind when negative. To a second or so. */
  clockAheadMs(): Promise<number>;
}
