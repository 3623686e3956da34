/** What an operator reads from the account of a deployment. Methods reject with InfrastructureError. */
export interface CloudAccount {
  /** Undefined when there is no such table. */
  table(name: string): Promise<{ readonly arn: string; readonly status: string } | undefined>;
  /** Deletes an empty table, even if it is protected against deletion. @returns false when the table is not empty. */
  deleteEmptyTable(name: string): Promise<boolean>;
  /** How many executions of functions the account permits at the same time, in its region. */
  concurrentExecutions(): Promise<number>;
  /**
   * How far the account's clock is ahead of this machine's, in milliseconds; negative when it is behind. Accurate to
   * about a second.
   */
  clockAheadMs(): Promise<number>;
}
