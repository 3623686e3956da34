import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { RunCommand } from './command.ts';
import type { Inspection } from './inspection/inspection.ts';
import { openInspection } from './wiring.ts';

type ClusterSwitch = (inspection: Inspection, terminal: Terminal) => Promise<void>;

/** `evenkeel pause`: no pass of the cluster starts any more. */
export const pauseCluster: ClusterSwitch = async ({ store, cluster, by, clock }, terminal) => {
  await store.setPaused(cluster, true, { by, atMs: clock.now() });
  terminal.out(`cluster ${cluster} is paused: within seconds no more passes begin, until evenkeel resume`);
};

/** `evenkeel resume` */
export const resumeCluster: ClusterSwitch = async ({ store, cluster, by, clock }, terminal) => {
  await store.setPaused(cluster, false, { by, atMs: clock.now() });
  terminal.out(`cluster ${cluster} is resumed: passes that were put off run within two minutes`);
};

/**
 * `evenkeel restored`: the cluster was restored from a backup, so versions that were seen before may come again
 * . The relay detects most restores by itself.
 */
export const declareRestored: ClusterSwitch = async ({ store, cluster }, terminal) => {
  const { incarnation } = await store.readCluster(cluster);
  const started = await store.startIncarnation(cluster, incarnation);
  terminal.out(`cluster ${cluster} is now at epoch ${started}: all its objects are listed and reconciled again`);
};

function command(flip: ClusterSwitch): RunCommand {
  return async (invocation, terminal) => {
    await using inspection = await openInspection(invocation);
    await flip(inspection, terminal);
    return 0;
  };
}

export const pause = command(pauseCluster);
export const resume = command(resumeCluster);
export const restored = command(declareRestored);
