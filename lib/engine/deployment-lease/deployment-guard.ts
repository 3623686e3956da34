import { claimDeployment, type DeploymentClaim, type DeploymentLeaseOptions } from './claim-deployment.ts';
import { DeploymentHandoverError } from './deployment-error.ts';
import { deploymentTimings } from './deployment-timings.ts';

/**
 * Asked before each pass of a controller group in a cluster: does this deployment still drive it? What the Lease said is
 * believed for a minute, so it costs one GET a minute of work and worker, and nothing when idle. It renews the Lease when
 * that is due; something that runs on a schedule (resync) asks as well, so that an idle deployment keeps its Lease.
 */
export class DeploymentGuard {
  readonly #options: DeploymentLeaseOptions;
  readonly #verifyEveryMs: number;
  #verified: { readonly claim: DeploymentClaim; readonly atMs: number } | undefined;
  #verifying: Promise<DeploymentClaim> | undefined;

  constructor(options: DeploymentLeaseOptions) {
    this.#options = options;
    this.#verifyEveryMs = (options.timings ?? deploymentTimings()).verifyEveryMs;
  }

  /**
   * Resolves when a pass may begin now.
   * @throws DeploymentConflictError when another deployment drives the group; DeploymentHandoverError while the one before
   * may still be at it; ApiError when the cluster does not say: then no pass may begin.
   */
  async assertOurs(): Promise<void> {
    const { takenFrom, readyAtMs } = await this.#claim();
    if (this.#options.clock.now() < readyAtMs) throw new DeploymentHandoverError(this.#options, takenFrom, readyAtMs);
  }

  async #claim(): Promise<DeploymentClaim> {
    const ageMs = this.#verified === undefined ? Number.NaN : this.#options.clock.now() - this.#verified.atMs;
    // A clock that went back makes what was read no younger.
    if (this.#verified !== undefined && ageMs >= 0 && ageMs < this.#verifyEveryMs) return this.#verified.claim;
    this.#verifying ??= this.#verify().finally(() => {
      this.#verifying = undefined;
    });
    return await this.#verifying;
  }

  async #verify(): Promise<DeploymentClaim> {
    this.#verified = undefined;
    // From before the request, so that the time it took is not believed either.
    const atMs = this.#options.clock.now();
    const claim = await claimDeployment(this.#options);
    this.#verified = { claim, atMs };
    return claim;
  }
}
