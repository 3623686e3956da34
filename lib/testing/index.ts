/** The tools for testing a controller: the whole engine on in-memory parts, and a clock that the test moves. */
export type { AuthorError } from '../engine/author/author-error.ts';
export { type CallFault, CallFaults, CrashedError } from './call-faults.ts';
export type { Fixture } from './fixture.ts';
export { ManualClock } from './manual-clock.ts';
export { RecordedMetrics, SilentLogger } from './recorders.ts';
export { type Replay, type ReplayedWrite, replay } from './replay.ts';
export { SeededEntropy } from './seeded-entropy.ts';
export type { ControllerHost } from './simulation/controller-host.ts';
export { type SimulateOptions, type SimulateSettings, type SimulationReport, simulate } from './simulation/simulate.ts';
export { WorkloadError } from './simulation/telling-errors.ts';
export type { User } from './simulation/user.ts';
export type { Action, ClusterView, Fault, Workload } from './simulation/workload.ts';
export { validateObject } from './validate-object.ts';
export { TEST_CLUSTER, World } from './world.ts';
export type { WorldOptions } from './world-options.ts';
