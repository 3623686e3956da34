import { claimDeployment, type DeploymentClaim, type DeploymentLeaseOptions } from './claim-deployment.ts';
import { DeploymentHandoverError } from './deployment-error.ts';
import { deploymentTimings } from './deployment-timings.ts';
import { DeploymentWatch } from './deployment-watch.ts';

/**
 * Checks before each pass whether this deployment still drives the controller group. A result is valid for a minute, so the
 * check costs one GET a minute for each busy worker, and nothing when idle. It renews the Lease when that is due. Resync
 * calls it on a schedule, so that an idle deployment keeps its Lease.
 */
export class DeploymentGuard {
  readonly #options: DeploymentLeaseOptions;
  readonly #verifyEveryMs: number;
  /** `atMs` is monotonic. */
  #verified: { readonly claim: DeploymentClaim; readonly atMs: number } | undefined;
  #verifying: Promise<DeploymentClaim> | undefined;

  constructor(options: DeploymentLeaseOptions) {
    this.#options = { ...options, watch: options.watch ?? new DeploymentWatch() };
    this.#verifyEveryMs = (options.timings ?? deploymentTimings()).verifyEveryMs;
  }

  /**
   * Resolves when a pass may start now.
   * @throws DeploymentConflictError when another deployment drives the group; DeploymentHandoverError while the
   * previous deployment may still run passes; ApiError when the cluster does not answer: then no pass may start.
   */
  async assertOurs(): Promise<void> {
    const { takenFrom, readyAtMonotonicMs } = await this.#claim();
    const { clock } = this.#options;
    const leftMs = Math.ceil(readyAtMonotonicMs - clock.monotonic());
    if (leftMs > 0) throw new DeploymentHandoverError(this.#options, takenFrom, clock.now() + leftMs);
  }

  async #claim(): Promise<DeploymentClaim> {
    const verified = this.#verified;
    if (verified !== undefined && this.#options.clock.monotonic() - verified.atMs < this.#verifyEveryMs)
      return verified.claim;
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
    });
    return await this.#verifying;
  }

  async #verify(): Promise<DeploymentClaim> {
    this.#verified = undefined;
    // The time before the request, so that the validity does not include its duration.
    const atMs = this.#options.clock.monotonic();
    const claim = await claimDeployment(this.#options);
    this.#verified = { claim, atMs };
    return claim;
  }
}
