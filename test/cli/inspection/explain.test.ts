import { describe, expect, it } from 'vitest';
import { Invocation } from '../../../cli/command.ts';
import { printExplanation } from '../../../cli/explain.ts';
import type { Explanation } from '../../../cli/inspection/explanation.ts';
import type { DurableValues } from '../../../lib/core/reconcile-context.ts';
import { ConfigMaps } from '../../../lib/core/resource-type.ts';
import type { TargetKey } from '../../../lib/core/target.ts';
import { Registry } from '../../../lib/engine/registry.ts';
import { TEST_CLUSTER } from '../../../lib/testing/world.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';
import { type InspectedWorld, inspectedWorld } from './inspected-world.ts';

async function explain(inspected: InspectedWorld, operand: string, output = 'text') {
  const terminal = new RecordedTerminal();
  const invocation = new Invocation([operand], new Map([['output', output]]));
  const code = await printExplanation(inspected.inspection, invocation, terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

async function explanation(inspected: InspectedWorld, operand: string): Promise<Explanation> {
  const { out } = await explain(inspected, operand, 'json');
  const { items } = JSON.parse(out) as { items: [Explanation] };
  return items[0];
}

const key = (uid: string): TargetKey => ({ cluster: TEST_CLUSTER, kind: 'configmaps', uid });

describe('evenkeel explain', () => {
  it('tells the last pass, what was read at which version, and what comes next', async () => {
    const inspected = inspectedWorld();
    const uid = await inspected.reconcile('web');
    await inspected.world.clock.advance(12_000);
    const { code, out } = await explain(inspected, 'configmap/default/web');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'ConfigMap default/web',
      `  uid        ${uid}`,
      '  cluster    test (epoch 1; no relay holds it)',
      '  now        idle',
      '  last pass  12s ago, took 0 ms, cause created',
      '  outcome    settled',
      expect.stringMatching(/^ {2}observed {3}version \d+, generation (none|\d+)$/),
      '  next       when something changes',
      '  failures   0',
      expect.stringMatching(/^ {2}epoch {6}\d+, committed \d+$/),
      '  code       version 7',
      '  watches    deployments.apps in default (a list)',
      expect.stringMatching(/^ {13}secrets default\/web, which was absent, polled in 1[78]s$/),
      '  passes     12s ago: settled; cause created; waited 0 ms, took 0 ms',
    ]);
  });

  it.each(['cm', 'ConfigMap', 'configmaps', 'CONFIGMAP'])('takes %s for the kind', async (kind) => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    expect((await explain(inspected, `${kind}/default/web`)).code).toBe(0);
  });

  it('a failing target shows its failures, reason and backoff', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web', 'retry');
    await inspected.world.run(20_000);
    const { failures, lastOutcome, next } = await explanation(inspected, 'cm/default/web');
    expect(failures).toBeGreaterThan(1);
    expect(lastOutcome).toMatchObject({ type: 'retry', reason: 'ApiForbidden', cause: 'due' });
    expect(next?.why).toBe(`backoff after ${failures} failures in a row`);
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toContain('outcome    retry ApiForbidden\n             the API server refused to read secrets');
    expect(out).toMatch(/next {7}in \d+s? \(.*\): backoff after \d+ failures in a row|next {7}now/);
  });

  it.each([
    ['terminal', 'terminal InvalidSpec', 'when something changes'],
    ['checkAt', 'checkAt', 'in 1h (2026-01-01T01:00:00.000Z): the controller asked for it'],
  ])('a pass that ended %s says so', async (ends, outcome, next) => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web', ends);
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toContain(`outcome    ${outcome}`);
    expect(out).toContain(`next       ${next}`);
  });

  it.each([
    ['90m', 'the controller asked for it, or its resync timer if that is earlier'],
    ['2h', 'the controller asked for it'],
    ['off', 'the controller asked for it'],
  ])('with targetResync: %s a check in an hour is why: %s', async (targetResync, why) => {
    const inspected = inspectedWorld({ targetResync });
    await inspected.reconcile('web', 'checkAt');
    expect((await explanation(inspected, 'cm/default/web')).next?.why).toBe(why);
  });

  it.each([
    ['a record that holds a seed', { record: '{"seed":"seed-2"}' }, 'seed-2'],
    ['a number', { code: 48_151_623, visits: 2 }, '48151623'],
    ['a word under a name that JavaScript gives every object', { constructor: 'hunter2', isOpen: true }, 'hunter2'],
  ])(
    'R-1.24 explain shows only the name of a durable value when the controller does not list it: %s',
    async (...row) => {
      const [, saves, secret] = row;
      const inspected = inspectedWorld();
      await inspected.reconcile('web', undefined, saves as DurableValues);
      const hidden = Object.keys(saves)[0] ?? '';
      const json = (await explain(inspected, 'cm/default/web', 'json')).out;
      const { out } = await explain(inspected, 'cm/default/web');
      expect(json).not.toContain(secret);
      expect(out).not.toContain(secret);
      expect(JSON.parse(json).items[0].hiddenValues).toEqual([hidden]);
      expect(out).toContain(`\n  value      ${hidden} is set (not shown)\n`);
    },
  );

  it('R-1.24 explain shows the durable values that the controller lists', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web', undefined, { visits: 2, isOpen: false, note: 'seen' });
    expect(await explanation(inspected, 'cm/default/web')).toMatchObject({
      values: { visits: 2, isOpen: false, note: 'seen' },
      hiddenValues: [],
    });
    const { out } = await explain(inspected, 'cm/default/web');
    for (const line of ['visits = 2', 'isOpen = false', 'note = seen']) expect(out).toContain(`  value      ${line}\n`);
  });

  it('R-1.24 explain shows no durable value when no controller of the kind is installed', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web', undefined, { visits: 2 });
    const removed = { ...inspected, inspection: { ...inspected.inspection, registry: new Registry([]) } };
    const { values, hiddenValues } = await explanation(removed, 'cm/default/web');
    expect({ values, hiddenValues }).toEqual({ values: {}, hiddenValues: ['visits'] });
  });

  it('R-6.7 an object that is paused shows by what', async () => {
    const inspected = inspectedWorld();
    const metadata = { name: 'web', namespace: 'default', annotations: { 'evenkeel.dev/paused': 'true' } };
    const { world } = inspected;
    const object = await world.create(ConfigMaps, { metadata });
    await world.sender.sendAll('events', [world.event(ConfigMaps, object, { cause: 'created' })]);
    await world.drain();
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toMatch(/outcome {4}paused\n {13}its annotation evenkeel\.dev\/paused is "true": it is not reconciled/);
  });

  it.each([
    ['one of others', ['example.com/hold']],
    ['two of others', ['example.com/hold', 'example.com/audit']],
  ])('R-1.30 an object that is being deleted shows the finalizers that hold it: %s', async (_, finalizers) => {
    const inspected = inspectedWorld();
    const { world } = inspected;
    const object = await world.create(ConfigMaps, { metadata: { name: 'web', namespace: 'default', finalizers } });
    await world.remove(ConfigMaps, object);
    await world.sender.sendAll('events', [world.event(ConfigMaps, object, { cause: 'requested' })]);
    await world.drain();
    expect((await explanation(inspected, 'cm/default/web')).state).toBe('terminating');
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toContain('now        it is being deleted\n');
    expect(out).toMatch(new RegExp(`outcome {4}deleting Terminating\\n(.*\\n)? {13}.*${finalizers.join(', ')}`));
  });

  it('R-6.7 a deployment that its settings pause counts as paused', async () => {
    const inspected = inspectedWorld({ paused: true });
    await inspected.reconcile('web');
    expect((await explanation(inspected, 'cm/default/web')).clusterState.paused).toBe(true);
  });

  it('a running pass shows its lease; one that died shows that it is taken over', async () => {
    const inspected = inspectedWorld();
    const uid = await inspected.reconcile('web');
    const { world } = inspected;
    const target = { ...key(uid), namespace: 'default', name: 'web' };
    const nowMs = world.clock.now();
    await world.store.acquire({
      target,
      owner: 'worker-9',
      attempt: 'a',
      nowMs,
      leaseUntilMs: nowMs + 30_000,
      latestUntilMs: nowMs + 30_000 + 4_000,
    });
    expect((await explain(inspected, 'cm/default/web')).out).toContain('lease      worker-9, ends in 30s');
    expect(await explanation(inspected, 'cm/default/web')).toMatchObject({ state: 'running', unfinishedPasses: 0 });
    await world.clock.advance(31_000);
    expect((await explain(inspected, 'cm/default/web')).out).toContain('lease      worker-9, ended 1s ago');
    expect(await explanation(inspected, 'cm/default/web')).toMatchObject({ state: 'died' });
  });

  it('shows a paused cluster, an unreachable one, its relay and its watch', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    const { store, clock } = inspected.world;
    await store.setPaused(TEST_CLUSTER, true);
    await store.setBreaker(TEST_CLUSTER, clock.now() + 10_000);
    const epoch = await store.holdRelay(TEST_CLUSTER, 'relay-1', clock.now(), clock.now() + 30_000);
    await store.claimCheckpoint(TEST_CLUSTER, 'configmaps', epoch ?? 0);
    await store.saveCheckpoint(TEST_CLUSTER, 'configmaps', epoch ?? 0, {
      incarnation: 1,
      resourceVersion: '42',
      heartbeatMs: clock.now() - 3_000,
    });
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toContain('cluster    test (epoch 1; paused; does not answer, tried again in 10s; relay relay-1)');
    expect(out).toContain('relay      watch at version 42, last seen 3s ago');
  });

  it('R-6.11 explain shows the version that reconciled the object and the write that stopped a newer one', async () => {
    const inspected = inspectedWorld();
    await inspected.reconcile('web');
    const { store, clock } = inspected.world;
    const message = 'configmaps default/a: the new version would change data.x of secrets default/b';
    const halt = { version: '8', reason: 'OutsidePlan', message, atMs: clock.now() - 5_000 };
    await store.haltRollout(TEST_CLUSTER, 'configmaps', halt);
    const { out } = await explain(inspected, 'cm/default/web');
    expect(out).toContain('code       version 7');
    expect(out).toContain('rollout    version 8 was stopped 5s ago: OutsidePlan');
    expect(out).toContain(message);
  });

  it('an object recreated under its name is shown by UID, the latest first', async () => {
    const inspected = inspectedWorld();
    const { world } = inspected;
    const first = await inspected.reconcile('web');
    await world.user.delete(
      { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
      { namespace: 'default', name: 'web' },
      { preconditions: { uid: first } },
    );
    await world.clock.advance(1_000);
    const second = await inspected.reconcile('web');
    const { out } = await explain(inspected, 'cm/default/web', 'json');
    const { items } = JSON.parse(out) as { items: Explanation[] };
    expect(items.map(({ uid }) => uid)).toEqual([second, first]);
  });

  it('R-6.4 an object that no pass is known of is named, with what to look at', async () => {
    const { code, err } = await explain(inspectedWorld(), 'cm/default/none');
    expect(code).toBe(1);
    expect(err).toContain('no pass of cm/default/none is known in cluster test');
    expect(err).toContain('evenkeel requeue cm/default/none');
  });

  it.each([
    [
      'cn/default/web',
      '"cn" is no kind that is reconciled here. Did you mean "cm"? The kinds are: configmap or configmaps or cm.',
    ],
    ['cm/web', '"cm/web" is not KIND/NAMESPACE/NAME. Write it like configmap/default/web.'],
    ['cm/default/web/extra', 'is not KIND/NAMESPACE/NAME'],
    ['checkout', '"checkout" is not KIND/NAMESPACE/NAME. Write it like configmap/default/checkout. evenkeel list'],
    ['cm//web', 'is not KIND/NAMESPACE/NAME'],
    ['', '"" is no kind that is reconciled here'],
  ])('R-6.4 the operand %j is refused with what to write', async (operand, message) => {
    await expect(explain(inspectedWorld(), operand)).rejects.toThrow(message);
  });
});
