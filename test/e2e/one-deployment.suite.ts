import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeploymentConflictError } from '../../lib/engine/deployment-lease/deployment-error.ts';
import { deploymentTimings } from '../../lib/engine/deployment-lease/deployment-timings.ts';
import type { PassReport } from '../../lib/engine/pass/pass-report.ts';
import { Contracts } from './support/contracts.ts';
import { Deployment } from './support/deployment.ts';
import { Edits } from './support/edits.ts';
import { type TestCluster, writesAmong } from './support/test-cluster.ts';

/** A handover in seconds rather than in one and a half minutes: what was read in the Lease is believed for two seconds. */
const VERIFY_EVERY_MS = 2_000;

/** Two deployments that know nothing of each other, each with a queue and a table of its own, on one cluster. */
export function describeOneDeployment(title: string, openCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let first: Deployment;
    let second: Deployment;

    beforeAll(async () => {
      cluster = await openCluster();
      first = await deployment('first');
      second = await deployment('second');
    });

    afterAll(async () => {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    });

    /** The times of `deploymentTimings`, with another belief. */
    async function deployment(name: string): Promise<Deployment> {
      const leaseMs = 6_000;
      const clockSkewMs = 200;
      const timings = {
        ...deploymentTimings(),
        verifyEveryMs: VERIFY_EVERY_MS,
        handoverMs: VERIFY_EVERY_MS + leaseMs + clockSkewMs,
      };
      return await Deployment.on(cluster, { name, timings });
    }

    const committed = ({ reports }: Deployment) => reports.filter(({ end }) => end === 'committed');
    const endMs = ({ startedAtMs, durationMs }: PassReport) => startedAtMs + durationMs;

    it('R-1.10 the second one is refused and told who drives the cluster; were it to run all the same, it would do nothing', async () => {
      const edits = new Edits(new Contracts(cluster.user));
      await first.claim();
      first.start();
      for (const name of ['one', 'two', 'three', 'four']) await edits.create(name);
      await edits.right();

      const refused: unknown = await second.claim().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(DeploymentConflictError);
      expect(refused).toMatchObject({
        holder: 'first',
        message: expect.stringContaining('driven by deployment first'),
      });

      const mark = await cluster.mark();
      second.start();
      await second.reported(({ end, reason }) => end === 'deferred' && reason === 'AnotherDeployment');
      await edits.round();
      await edits.right();
      expect(second.replacedBy).toBe('first');
      expect(committed(second)).toEqual([]);
      const asked = (await cluster.requestsSince(mark)).filter(({ userAgent }) => userAgent.endsWith(' second'));
      expect(writesAmong(asked)).toEqual([]);
      await second.stop();
    });

    it('R-1.10 R-1.5 it takes over when asked: passes of the two do not overlap, and nothing is lost', async () => {
      const edits = new Edits(new Contracts(cluster.user));
      for (const name of ['five', 'six', 'seven', 'eight']) await edits.create(name);
      await edits.right();
      const mark = await cluster.mark();
      // It runs already, and changes go on all the while: whoever may, has something to do.
      second.start();
      const editing = (async () => {
        while (committed(second).length === 0) await edits.round();
      })();
      const readyAtMs = await second.claim(true);
      await editing;
      await edits.round();
      await edits.right();

      const lastEndMs = Math.max(...committed(first).map(endMs));
      const firstStartMs = Math.min(...committed(second).map(({ startedAtMs }) => startedAtMs));
      // A pass counts from before it asks whether it may.
      expect(Math.min(...committed(second).map(endMs))).toBeGreaterThanOrEqual(readyAtMs);
      expect(lastEndMs).toBeLessThanOrEqual(firstStartMs);
      const writers = writesAmong(await cluster.requestsSince(mark)).map(({ userAgent }) =>
        userAgent.split(' ').at(-1),
      );
      expect(writers.lastIndexOf('first')).toBeLessThan(writers.indexOf('second'));
      expect(first.replacedBy).toBe('second');
      await expect(first.claim()).rejects.toMatchObject({ holder: 'second' });
    });
  });
}
