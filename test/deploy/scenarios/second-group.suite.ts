import { it } from 'vitest';
import { Pods, T4ClusterHosts, T4Sessions } from '../../../lib/controllers/t4/kinds.ts';
import { messageGroupId } from '../../../lib/core/target.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { isKnown, queueNames, readItem, setDeadline, targetOf } from '../support/targets.ts';
import { type Deployed, LIMIT_MS } from './deployed.ts';
import { T4Example } from './t4-example.ts';

const T4 = queueNames('t4');

/** A second controller group next to secret-contract, with its own function, queues, role and identity. */
export function secondGroup(deployed: () => Deployed): void {
  it('R-6.3 R-5.12 group t4 runs a session in its own function, and ends it when what it reads is broken', async () => {
    const { world, east } = deployed();
    const example = new T4Example(east);
    await example.bindClaim();
    await example.runPod();
    await example.becomes('Running', 'True');

    const session = targetOf(east, T4Sessions, await example.session());
    const pod = await example.podName();
    await world.sendRaw(T4.events, 'no JSON', messageGroupId(session), 't4-poison-1');
    await world.sendRaw(T4.resync, 'no JSON', messageGroupId(session), 't4-poison-2');
    await example.breakModels();
    await eventually('poll that finds it', async () =>
      (await example.find(Pods, pod)) === undefined ? true : undefined,
    );
    await example.becomes('Failed', 'False');
    for (const dead of [T4.eventsDead, T4.resyncDead]) {
      await eventually(`letter in ${dead}`, async () => ((await world.messagesIn(dead)) === 1 ? true : undefined));
    }

    // Two timers: one comes as a delayed message, the other is found by the sweep.
    const host = targetOf(east, T4ClusterHosts, await example.host());
    for (const overMs of [5_000, -60_000]) {
      const { epoch: before } = await readItem(world, host);
      await setDeadline(world, host, Date.now() + overMs);
      await world.call('sweep', true);
      await eventually(
        'pass of the host',
        async () => {
          const { epoch, committedEpoch } = await readItem(world, host);
          return epoch > before && committedEpoch === epoch ? true : undefined;
        },
        LIMIT_MS,
      );
    }

    await example.deleteSession();
    await eventually('end of the session', async () => {
      const isGone = (await example.find(T4Sessions, session.name)) === undefined;
      return isGone && !(await isKnown(world, session)) ? true : undefined;
    });
    await world.measures('DeadLetter', { Group: 't4', Reason: 'NotJson' });
  });
}
