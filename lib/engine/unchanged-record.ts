/**
 * How long a process has seen a record unchanged that its holder must renew, by the monotonic clock of the process. So a
 * wrong wall clock never takes a hold from a living holder, and never lets a hold outlive a dead holder.
 */
export class UnchangedRecord {
  /** How often the record differed from the one before. */
  changes = 0;
  #seen: string | undefined;
  #sinceMs = 0;

  /**
   * @param record all fields that a renewal changes.
   * @param askedAtMs monotonic ms before it was read.
   * @param answeredAtMs monotonic ms after it was read.
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
