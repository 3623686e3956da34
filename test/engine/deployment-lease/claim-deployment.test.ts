import { beforeEach, describe, expect, it } from 'vitest';
import { Leases } from '../../../lib/core/resource-type.ts';
import { claimDeployment, releaseDeployment } from '../../../lib/engine/deployment-lease/claim-deployment.ts';
import {
  DeploymentConflictError,
  DeploymentHandoverError,
} from '../../../lib/engine/deployment-lease/deployment-error.ts';
import { DeploymentGuard } from '../../../lib/engine/deployment-lease/deployment-guard.ts';
import { DeploymentWatch } from '../../../lib/engine/deployment-lease/deployment-watch.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { TestCluster } from '../../support/test-cluster.ts';

const NAME = { namespace: 'evenkeel-system', name: 'evenkeel-t4' };

let clock: ManualClock;
let cluster: TestCluster;

beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
  cluster = new TestCluster(clock, { namespaces: [NAME.namespace] });
});

function as(deployment: string) {
  return { api: cluster, cluster: 'prod', group: 't4', deployment, namespace: 'evenkeel-system', clock };
}

/** A process of a deployment. It remembers what it read in the Lease. */
function processOf(deployment: string) {
  return { ...as(deployment), watch: new DeploymentWatch() };
}

function readyIn(ms: number, takenFrom: string) {
  return { readyAtMonotonicMs: clock.monotonic() + ms, takenFrom };
}

function lease() {
  return cluster.read(Leases, NAME);
}

function writes(): number {
  return cluster.requests.filter(({ verb }) => verb === 'create' || verb === 'patch').length;
}

describe('claiming a controller group', () => {
  it('R-1.10 the first deployment gets the Lease and may start at once', async () => {
    expect(await claimDeployment(as('cloud'))).toEqual(readyIn(0, ''));
    expect(lease()?.spec).toEqual({
      holderIdentity: 'cloud',
      acquireTime: '2026-06-01T12:00:00.000000Z',
      renewTime: '2026-06-01T12:00:00.000000Z',
      leaseDurationSeconds: 900,
      leaseTransitions: 0,
    });
  });

  it('R-1.10 another deployment is refused, with the holder, its time, and what to do', async () => {
    await claimDeployment(as('cloud'));
    await clock.advance(300_000);
    await claimDeployment(as('cloud'));
    await clock.advance(60_000);
    const refused = claimDeployment(as('laptop'));
    await expect(refused).rejects.toThrow(DeploymentConflictError);
    await expect(refused).rejects.toThrow(
      'controller group t4 of cluster prod is driven by deployment cloud since 2026-06-01T12:00:00.000Z (last seen 2026-06-01T12:05:00.000Z). Stop that deployment, or tell this one to take over.',
    );
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'cloud' });
  });

  it('R-1.10 each controller group has its own Lease', async () => {
    await claimDeployment(as('cloud'));
    await claimDeployment({ ...as('laptop'), group: 'control-plane' });
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'cloud' });
  });

  it('I5 an own Lease is renewed every five minutes, and otherwise only read', async () => {
    for (let minute = 0; minute < 21; minute += 1) {
      await claimDeployment(as('cloud'));
      await clock.advance(60_000);
    }
    expect(writes()).toBe(5);
  });

  it('R-1.10 a Lease that did not change for its duration and the skew is taken, with a handover time', async () => {
    await claimDeployment(as('laptop'));
    const cloud = processOf('cloud');
    await expect(claimDeployment(cloud)).rejects.toThrow(DeploymentConflictError);
    await clock.advance(904_000);
    await expect(claimDeployment(cloud)).rejects.toThrow(DeploymentConflictError);
    await clock.advance(1);
    const claim = await claimDeployment(cloud);
    expect(claim).toEqual(readyIn(94_000, 'laptop'));
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'cloud', leaseTransitions: 1 });
    // It waits only once.
    await clock.advance(10_000);
    expect(await claimDeployment(cloud)).toEqual(claim);
  });

  it.each([0, 600_000, -600_000, 86_400_000])(
    'R-1.29 a deployment that has not watched the Lease is refused, whatever its age, when the clock was set by %i ms',
    async (stepMs) => {
      await claimDeployment(as('laptop'));
      clock.step(stepMs);
      await clock.advance(3_600_000);
      await expect(claimDeployment(as('cloud'))).rejects.toThrow(DeploymentConflictError);
    },
  );

  it.each([600_000, -600_000, 86_400_000])(
    'R-1.29 a live deployment keeps its Lease from a watching one when the clock is set by %i ms',
    async (stepMs) => {
      const laptop = processOf('laptop');
      const cloud = processOf('cloud');
      await claimDeployment(laptop);
      await expect(claimDeployment(cloud)).rejects.toThrow(DeploymentConflictError);
      clock.step(stepMs);
      for (let minute = 0; minute < 40; minute += 1) {
        await clock.advance(60_000);
        await claimDeployment(laptop);
        await expect(claimDeployment(cloud)).rejects.toThrow(DeploymentConflictError);
      }
    },
  );

  it.each([600_000, -600_000])(
    'R-1.29 a dead deployment is replaced in the same time when the clock is set by %i ms',
    async (stepMs) => {
      await claimDeployment(as('laptop'));
      const cloud = processOf('cloud');
      await expect(claimDeployment(cloud)).rejects.toThrow(DeploymentConflictError);
      clock.step(stepMs);
      await clock.advance(904_001);
      expect((await claimDeployment(cloud)).takenFrom).toBe('laptop');
    },
  );

  it.each([600_000, 60_000, 86_400_000])(
    'R-1.29 a deployment that took a free Lease does not wait when the clock is set back by %i ms',
    async (backMs) => {
      await claimDeployment(as('cloud'));
      clock.step(-backMs);
      expect(await claimDeployment(as('cloud'))).toEqual(readyIn(0, ''));
      await new DeploymentGuard(as('cloud')).assertOurs();
    },
  );

  it.each([600_000, -600_000])(
    'R-1.29 a handover lasts as long as it must when the clock is set by %i ms',
    async (stepMs) => {
      await claimDeployment(as('laptop'));
      await claimDeployment({ ...as('cloud'), takeOver: true });
      const guard = new DeploymentGuard(as('cloud'));
      await expect(guard.assertOurs()).rejects.toThrow(DeploymentHandoverError);
      clock.step(stepMs);
      await clock.advance(93_999);
      await expect(guard.assertOurs()).rejects.toThrow(DeploymentHandoverError);
      await clock.advance(1);
      await guard.assertOurs();
      // Another process that starts now does not wait.
      await clock.advance(60_000);
      await guard.assertOurs();
      expect(await claimDeployment(as('cloud'))).toEqual(readyIn(0, ''));
    },
  );

  it('R-1.10 a Lease is taken over at once when the user asks for it', async () => {
    await claimDeployment(as('cloud'));
    const laptop = { ...processOf('laptop'), takeOver: true };
    const claim = await claimDeployment(laptop);
    expect(claim).toEqual(readyIn(94_000, 'cloud'));
    await expect(claimDeployment(as('cloud'))).rejects.toThrow('driven by deployment laptop');
    await clock.advance(5_000);
    expect(await claimDeployment(laptop)).toEqual(claim);
  });

  it('R-1.10 only one of two deployments gets the Lease when both take it at once', async () => {
    await claimDeployment(as('old'));
    const both = ['a', 'b'].map((name) => claimDeployment({ ...as(name), takeOver: name === 'a' }));
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    cluster.remove(Leases, NAME);
    const fresh = await Promise.allSettled(['a', 'b'].map((name) => claimDeployment(as(name))));
    expect(fresh.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('R-1.10 a renewal never overwrites the Lease of a deployment that took over', async () => {
    await claimDeployment(as('old'));
    await clock.advance(300_000);
    cluster.onRequest = async ({ verb }) => {
      if (verb !== 'patch') return;
      cluster.onRequest = () => {};
      await claimDeployment({ ...as('new'), takeOver: true });
    };
    await expect(claimDeployment(as('old'))).rejects.toThrow('driven by deployment new');
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'new' });
  });

  it('R-1.10 a deployment may start at once when the Lease was given back', async () => {
    await claimDeployment(as('cloud'));
    const laptop = processOf('laptop');
    await claimDeployment({ ...laptop, takeOver: true });
    await releaseDeployment(as('cloud'));
    expect(lease()?.spec).toMatchObject({ holderIdentity: 'laptop' });
    await clock.advance(94_000);
    await claimDeployment(laptop);
    await releaseDeployment(as('laptop'));
    expect(await claimDeployment(as('cloud'))).toEqual(readyIn(0, ''));
  });

  it('R-1.10 a deployment waits for the previous holder when the Lease was taken over and given back at once', async () => {
    await claimDeployment(as('cloud'));
    await claimDeployment({ ...as('laptop'), takeOver: true });
    await releaseDeployment(as('laptop'));
    await clock.advance(1_000);
    expect(await claimDeployment(as('third'))).toEqual(readyIn(94_000, 'cloud'));
  });

  it('R-1.10 unreadable times do not prove that a Lease has expired', async () => {
    await claimDeployment(as('cloud'));
    const get = cluster.get.bind(cluster);
    const spec = { holderIdentity: 'cloud', renewTime: 'yesterday' };
    cluster.get = async (...args) => ({ ...(await get(...args)), spec });
    await clock.advance(24 * 3_600_000);
    await expect(claimDeployment(as('laptop'))).rejects.toThrow('since an unknown time');
  });

  it('R-6.4 the error says that the namespace is missing when it does not exist', async () => {
    cluster.onRequest = ({ verb }) => {
      if (verb === 'create') throw new ApiError('NotFound', 'no such namespace', { status: 404 });
    };
    await expect(claimDeployment(as('cloud'))).rejects.toThrow(
      'namespace evenkeel-system does not exist in cluster prod. Create it',
    );
  });
});

describe('the guard before each pass', () => {
  it('I5 the guard reads the Lease once a minute for any number of passes, and never when idle', async () => {
    const guard = new DeploymentGuard(as('cloud'));
    await Promise.all([guard.assertOurs(), guard.assertOurs()]);
    const gets = () => cluster.requests.filter(({ verb }) => verb === 'get').length;
    expect(gets()).toBe(1);
    for (let second = 0; second < 59; second += 1) {
      await clock.advance(1_000);
      await guard.assertOurs();
    }
    expect(gets()).toBe(1);
    await clock.advance(1_000);
    await guard.assertOurs();
    expect(gets()).toBe(2);
  });

  it('R-1.10 a takeover lets no two passes overlap: the old deployment has stopped before the new one starts', async () => {
    const old = new DeploymentGuard(as('old'));
    await old.assertOurs();
    await clock.advance(1);
    await claimDeployment({ ...as('new'), takeOver: true });
    const fresh = new DeploymentGuard(as('new'));
    let oldLastBeganMs = 0;
    let newFirstBeganMs = 0;
    for (let second = 0; second < 200 && newFirstBeganMs === 0; second += 1) {
      await old.assertOurs().then(
        () => {
          oldLastBeganMs = clock.now();
        },
        (error: unknown) => expect(error).toBeInstanceOf(DeploymentConflictError),
      );
      await fresh.assertOurs().then(
        () => {
          newFirstBeganMs = clock.now();
        },
        (error: unknown) => expect(error).toBeInstanceOf(DeploymentHandoverError),
      );
      await clock.advance(1_000);
    }
    // The lease of a pass is 30 s, and clocks differ by 4 s.
    expect(newFirstBeganMs).toBeGreaterThanOrEqual(oldLastBeganMs + 34_000);
  });

  it('R-1.17 no pass starts while the cluster does not show its deployment', async () => {
    const guard = new DeploymentGuard(as('cloud'));
    await guard.assertOurs();
    cluster.onRequest = () => {
      throw new ApiError('Timeout', 'no answer');
    };
    await clock.advance(61_000);
    await expect(guard.assertOurs()).rejects.toThrow(ApiError);
    cluster.onRequest = () => {};
    await guard.assertOurs();
  });
});
