import type { AuthorError } from '../../engine/author/author-error.ts';
import type { DeploymentConflictError } from '../../engine/deployment-lease/deployment-error.ts';
import { type DeploymentTimings, deploymentTimings } from '../../engine/deployment-lease/deployment-timings.ts';
import type { PassReport } from '../../engine/pass/pass-report.ts';
import { DEFAULT_PASS_OPTIONS } from '../../engine/pass/pass-runner.ts';
import type { Registry } from '../../engine/registry.ts';
import { createEngine, type Engine, type EnginePorts, type EngineQueues } from '../../engine/runtime/engine.ts';
import { SYSTEM_NAMESPACE } from '../kubernetes/system-namespace.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { strayErrors } from '../wiring-stray-errors.ts';

/** The queues of the installed groups, by group and lane. */
export type InstalledQueues = EngineQueues;

/** Everything that reaches outside the process; the wiring creates it. */
export type InstallationPorts = Omit<EnginePorts, 'strays'>;

/** One deployment of evenkeel, for one cluster: the engine with its settings. */
export interface Installation extends Engine {
  readonly settings: Settings;
  /**
   * The name of this deployment, different from every other one that may drive the cluster. All its processes have the
   * same one, also after a restart.
   */
  readonly deployment: string;
  /** Called when another deployment drives a group of this one. */
  readonly onReplaced: (error: DeploymentConflictError) => void;
}

export function createInstallation(
  ports: InstallationPorts,
  options: {
    readonly settings: Settings;
    readonly registry: Registry;
    /** The name of this process in leases. */
    readonly owner: string;
    readonly deployment: string;
    /** Default: the timings that follow from the settings. */
    readonly deploymentTimings?: DeploymentTimings;
    readonly onPass?: (report: PassReport) => void;
    /** Absent when the text of errors may be secret. */
    readonly onAuthorError?: (error: AuthorError) => void;
    readonly onReplaced?: (error: DeploymentConflictError) => void;
    /**
     * Called from time to time while the cluster does not show which deployment drives it. No pass starts during that
     * time.
     */
    readonly onUnread?: (error: unknown) => void;
  },
): Installation {
  const {
    settings,
    registry,
    owner,
    deployment,
    onPass,
    onAuthorError,
    onReplaced = () => {},
    onUnread = () => {},
  } = options;
  const { cluster, installation, paused, timings, backoff, rateLimit, scope, intervals } = settings;
  const engine = createEngine({ ...ports, strays: strayErrors }, registry, {
    cluster,
    installation,
    owner,
    paused,
    pass: {
      ...DEFAULT_PASS_OPTIONS,
      timings,
      backoff,
      rateLimit,
      scope,
      targetResyncMs: intervals.targetResyncMs === 0 ? undefined : intervals.targetResyncMs,
    },
    deployment: {
      name: deployment,
      namespace: SYSTEM_NAMESPACE,
      timings: options.deploymentTimings ?? deploymentTimings(timings),
      standsBy: settings.standby,
      onReplaced,
      onUnread,
    },
    ...(onPass !== undefined && { onPass }),
    ...(onAuthorError !== undefined && { onAuthorError }),
  });
  return { ...engine, settings, deployment, onReplaced };
}
