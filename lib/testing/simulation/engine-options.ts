import { deploymentTimings } from '../../engine/deployment-lease/deployment-timings.ts';
import type { PassOptions } from '../../engine/pass/pass.ts';
import { DEFAULT_PASS_OPTIONS } from '../../engine/pass/pass-runner.ts';
import type { RelayOptions } from '../../engine/relay/relay-options.ts';
import type { DrivingDeployment, EngineOptions } from '../../engine/runtime/engine.ts';
import { relayOptionsOf } from '../../engine/runtime/relay.ts';
import type { SimulationOptions } from './simulation-options.ts';

export interface SimulatedEngineOptions {
  readonly passOptions: PassOptions;
  readonly relayOptions: Partial<RelayOptions>;
  /** All processes belong to it, and no other deployment drives the cluster. */
  readonly deployment: DrivingDeployment;
  readonly engineOptions: Pick<
    EngineOptions,
    'pass' | 'deployment' | 'directReaders' | 'rounds' | 'resyncLaneDepth' | 'roundLimitMs'
  >;
}

/** Rounds with a page of one object each, which a few messages put off. */
const SMALL_ROUNDS = {
  pageSize: 1,
  promptReaders: 1,
  laneDepth: 3,
  pauseMs: 4_000,
  restMs: 15_000,
  bulkPauseMs: 10_000,
} as const;
const SMALL_PACE = {
  namespacePace: { burst: 3, refillMs: 4_000 },
  overflow: { everyMs: 5_000, size: 4, laneDepth: 3 },
  spareLane: { everyMs: 1_000, depth: 2 },
} as const;

/** Options with which two readers make a change wide. */
const FEW_ARE_MANY = { directReaders: 1, rounds: SMALL_ROUNDS, resyncLaneDepth: 3 } as const;

export function engineOptionsOf({
  pass: changed,
  relay,
  fewAreMany = false,
  settings,
  seed,
}: Pick<SimulationOptions, 'pass' | 'relay' | 'fewAreMany' | 'settings' | 'seed'>): SimulatedEngineOptions {
  const pass = { ...DEFAULT_PASS_OPTIONS, targetResyncMs: undefined, ...changed };
  const { timings } = pass;
  // In every second seed a page ends at the limit and the round continues at once. In the others the round pauses.
  const roundLimitMs = fewAreMany && seed % 2 === 0 ? 1 : timings.passLimitMs;
  const deployment = { name: 'simulation', namespace: 'evenkeel-system', timings: deploymentTimings(timings) };
  return {
    passOptions: pass,
    relayOptions: {
      ...relayOptionsOf(settings.relay, timings, deployment.name),
      ...(fewAreMany && { ...SMALL_PACE, directReaders: FEW_ARE_MANY.directReaders }),
      ...relay,
    },
    deployment,
    engineOptions: { pass, deployment, roundLimitMs, ...(fewAreMany && FEW_ARE_MANY) },
  };
}
