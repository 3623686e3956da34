import { eventually } from '../../e2e/support/eventually.ts';
import type { CloudWorld, UserCluster } from '../support/cloud-world.ts';
import type { IdentityServer } from '../support/identity-server.ts';
import { EVENTS_QUEUE, RESYNC_QUEUE } from '../support/targets.ts';

/** What the scenarios of a run share. They run one after the other. */
export interface Deployed {
  readonly world: CloudWorld;
  readonly east: UserCluster;
  readonly west: UserCluster;
  readonly identity: IdentityServer;
}

export const CONTRACTS_A_CLUSTER = 100;
export const RECONCILE = 'reconcile-secret-contract';
export const LIMIT_MS = 120_000;

export function contractNames(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, index) => `web-${first + index}`);
}

/** Checks a few at a time, so that the checks do not slow down the deployment. */
export async function right({ edits }: UserCluster, names = edits.names): Promise<void> {
  for (let from = 0; from < names.length; from += 10) await edits.right(names.slice(from, from + 10));
}

export interface PassLine {
  readonly startedAtMs: number;
  readonly cluster: string;
  readonly name: string;
  readonly end: string;
  readonly outcome: string;
  readonly cause: string;
  readonly writes: number;
  readonly durationMs: number;
}

/** @param sinceMs epoch ms. The lines of an invocation appear some time after it. */
export function passesOf(world: CloudWorld, cluster: string, sinceMs = 0): PassLine[] {
  return world.logged<PassLine>('pass').filter((line) => line.cluster === cluster && line.startedAtMs >= sinceMs);
}

/** Waits until the queues are empty. */
export async function quiet(world: CloudWorld): Promise<void> {
  await eventually(
    'empty queue',
    async () => {
      const waiting = await Promise.all([world.messagesIn(EVENTS_QUEUE), world.messagesIn(RESYNC_QUEUE)]);
      return waiting.every((count) => count === 0) ? true : undefined;
    },
    LIMIT_MS,
  );
}
