/** What tests of a controller run on: the whole engine in memory, with a clock that the test moves. */
export { ManualClock } from './manual-clock.ts';
export { type LoggedLine, RecordedMetrics, type RecordedMetric, SilentLogger } from './recorders.ts';
export { SeededEntropy } from './seeded-entropy.ts';
export { TEST_CLUSTER, World, type WorldOptions } from './world.ts';
