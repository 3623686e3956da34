/** What an author tests a controller with: the whole engine on in-memory parts, and a clock that the test moves. */
export { type CallFault, CallFaults, CrashedError } from './call-faults.ts';
export { ManualClock } from './manual-clock.ts';
export { RecordedMetrics, SilentLogger } from './recorders.ts';
export { SeededEntropy } from './seeded-entropy.ts';
export { TEST_CLUSTER, World, type WorldOptions } from './world.ts';
