/**
 * For how long a process has seen a record unchanged that somebody else must renew, by its own monotonic clock. A hold that
 * is judged so is never taken from a living holder because a wall clock is wrong, and never outlives a dead one because it
 * was.
 */
export class UnchangedRecord {
  /** How often another record was found than the one before. */
  changes = 0;
  #seen: string | undefined;
  #sinceMs = 0;

  /**
   * @param record all that a renewal changes.
   * @param askedAtMs monotonic ms before it was read. @param answeredAtMs the same, after.
   * @returns for how many ms it has certainly not changed; 0 when it is seen for the first time.
   */
  see(record: string, askedAtMs: number, answeredAtMs: number): number {
    if (record === this.#seen) return Math.max(0, askedAtMs - this.#sinceMs);
    if (this.#seen !== undefined) this.changes += 1;
    this.#seen = record;
    this.#sinceMs = answeredAtMs;
    return 0;
  }
}
