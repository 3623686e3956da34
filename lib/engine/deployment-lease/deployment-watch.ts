import type { KubeObject } from '../../core/kube-object.ts';
import { UnchangedRecord } from '../unchanged-record.ts';

/**
 * What one process saw of a deployment Lease, on its own monotonic clock. No wall clock decides: a holder is
 * gone when the Lease was seen unchanged for long enough, and a handover has ended when it was seen for long enough.
 */
export class DeploymentWatch {
  readonly #record = new UnchangedRecord();
  readonly #handover = new UnchangedRecord();

  /** @returns for how many ms nobody has written the Lease. Every renewal gives it another resourceVersion. */
  unchangedMs({ metadata }: KubeObject, askedAtMs: number, answeredAtMs: number): number {
    return this.#record.see(`${metadata.uid} ${metadata.resourceVersion}`, askedAtMs, answeredAtMs);
  }

  /** @returns for how many ms this process has known of this takeover. */
  handoverMs(transitions: number, takenFrom: string, nowMs: number): number {
    return this.#handover.see(`${transitions} ${takenFrom}`, nowMs, nowMs);
  }
}
