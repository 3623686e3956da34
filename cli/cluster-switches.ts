import { kindId } from '../lib/core/resource-type.ts';
import type { Terminal } from '../lib/deployment/terminal/terminal.ts';
import type { RunCommand } from './command.ts';
import type { Inspection } from './inspection/inspection.ts';
import { kindNamed } from './inspection/target-name.ts';
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

/** `evenkeel resume --rollout KIND`: removes the halt of the new version. */
export async function resumeRollout(
  { store, cluster, kinds }: Inspection,
  word: string,
  terminal: Terminal,
): Promise<void> {
  const kind = kindId(kindNamed(word, kinds));
  const halt = (await store.readCluster(cluster)).halts?.[kind];
  if (halt === undefined) {
    terminal.out(`no rollout of ${kind} was stopped in cluster ${cluster}`);
    return;
  }
  await store.resumeRollout(cluster, kind);
  terminal.out(
    `version ${halt.version} of ${kind} goes on in cluster ${cluster}: it was stopped because of ${halt.message}`,
  );
}

export const pause = command(pauseCluster);
export const resume: RunCommand = async (invocation, terminal) => {
  const kind = invocation.text('rollout');
  if (kind === undefined) return await command(resumeCluster)(invocation, terminal);
  await using inspection = await openInspection(invocation);
  await resumeRollout(inspection, kind, terminal);
  return 0;
};
export const restored = command(declareRestored);
