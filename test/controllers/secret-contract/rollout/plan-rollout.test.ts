import { describe, expect, it } from 'vitest';
import type { KeyRules } from '../../../../lib/controllers/secret-contract/contract.ts';
import { boundaryMarks } from '../../../../lib/controllers/secret-contract/passed-boundary.ts';
import { contentChanged, digestContent } from '../../../../lib/controllers/secret-contract/rollout/content-digest.ts';
import {
  type ObservedTarget,
  planRollout,
  SECRET_REVISION_ANNOTATION,
  targetMark,
} from '../../../../lib/controllers/secret-contract/rollout/plan-rollout.ts';
import {
  type RolloutState,
  readRolloutState,
  rolloutValues,
} from '../../../../lib/controllers/secret-contract/rollout/rollout-state.ts';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { ApiError } from '../../../../lib/ports/cluster-api.ts';
import { deploymentObject } from '../objects.ts';

const KEY = 'a-key-of-the-installation';

function digests(values: Record<string, string>, { key = KEY, uid = 'contract', names = Object.keys(values) } = {}) {
  const keys = names.map((name) => ({ name }) as KeyRules);
  return digestContent(
    key,
    uid,
    keys,
    new Map(Object.entries(values).map(([name, value]) => [name, Buffer.from(value)])),
  );
}

function target(deployment: KubeObject, revision?: string): ObservedTarget {
  const template = { metadata: { annotations: { [SECRET_REVISION_ANNOTATION]: revision } } };
  const value = revision === undefined ? deployment : { ...deployment, spec: { template } };
  return { name: deployment.metadata.name, deployment: { type: 'found', value } };
}

function planned(before: RolloutState | undefined, content: ReturnType<typeof digests>, targets: ObservedTarget[]) {
  const plan = planRollout(before, content, targets);
  return {
    state: plan.state,
    revision: plan.state.revision,
    patches: plan.patches.map(({ name }) => name),
    findings: plan.findings.map(({ key, reason }) => `${key} ${reason}`),
  };
}

const OLD = digests({ a: '1', b: '1' });
const NEW = digests({ a: '2', b: '1' });
const WEB = target(deploymentObject('web'));
const BASELINE = planRollout(undefined, OLD, [WEB]).state;

describe('content', () => {
  it.each<[string, ReturnType<typeof digests>, ReturnType<typeof digests>, boolean]>([
    ['the same', digests({ a: '1' }), digests({ a: '1' }), false],
    ['another value', digests({ a: '1' }), digests({ a: '2' }), true],
    ['an empty value for an absent key', digests({}, { names: ['a'] }), digests({ a: '' }), true],
    ['a key gone', digests({ a: '1' }), digests({}, { names: ['a'] }), true],
    ['a key declared in addition', digests({ a: '1' }), digests({ a: '1', b: '2' }), false],
    ['a key no longer declared', digests({ a: '1', b: '2' }), digests({ a: '1' }), false],
    ['keys swapped', digests({ a: '1', b: '2' }), digests({ a: '2', b: '1' }), true],
    ['another installation key', digests({ a: '1' }), digests({ a: '2' }, { key: 'another-key-entirely' }), false],
  ])('R-2.7 %s', (_, before, now, expected) => {
    expect(contentChanged(before, now)).toBe(expected);
  });

  it('R-1.24 digests do not reveal which contracts or which keys share a value', () => {
    const seen = [...digests({ a: 'same', b: 'same' }).values(), ...digests({ a: 'same' }, { uid: 'other' }).values()];
    expect(new Set(seen).size).toBe(3);
    expect([...digests({ a: '1' }).keys()]).not.toEqual([...digests({ a: '1' }, { uid: 'other' }).keys()]);
  });

  it('R-1.24 a digest cannot be recomputed without the installation key', () => {
    expect([...digests({ a: '1' }, { key: 'another-key-entirely' }).values()]).not.toEqual([
      ...digests({ a: '1' }).values(),
    ]);
  });
});

describe('a plan', () => {
  it('R-2.7 starts from a baseline that patches nothing', () => {
    expect(planned(undefined, OLD, [WEB])).toMatchObject({ revision: 0, patches: [], findings: [] });
  });

  it('R-2.7 patches nothing while the content is the same', () => {
    expect(planned(BASELINE, OLD, [WEB])).toEqual({ state: BASELINE, revision: 0, patches: [], findings: [] });
  });

  it('R-2.7 patches each target when the content changed, and remembers none as done before it is', () => {
    const api = target(deploymentObject('api'));
    const both = planRollout(undefined, OLD, [WEB, api]).state;
    const plan = planned(both, NEW, [WEB, api]);
    expect(plan).toMatchObject({ revision: 1, patches: ['web', 'api'] });
    expect([...plan.state.targets.values()].map(({ revision }) => revision)).toEqual([0, 0]);
    // The next pass, after a crash before any patch.
    expect(planned(plan.state, NEW, [WEB, api])).toMatchObject({ revision: 1, patches: ['web', 'api'] });
    // After a crash between the patches.
    expect(planned(plan.state, NEW, [target(deploymentObject('web'), '1'), api])).toMatchObject({ patches: ['api'] });
  });

  it('R-2.7 is higher than every counter of a target, so that the annotation always differs', () => {
    expect(planned(BASELINE, NEW, [target(deploymentObject('web'), '41')])).toMatchObject({
      revision: 42,
      patches: ['web'],
    });
  });

  it.each(['many', '-1', '1.5', '9'.repeat(40)])('R-2.7 takes an annotation of "%s" for none', (annotation) => {
    expect(planned(BASELINE, NEW, [target(deploymentObject('web'), annotation)])).toMatchObject({
      revision: 1,
      patches: ['web'],
    });
  });

  it('R-2.7 does not restore an annotation that was removed or replaced: the content did not change', () => {
    const rolled = planned(planned(BASELINE, NEW, [WEB]).state, NEW, [target(deploymentObject('web'), '1')]).state;
    for (const carried of [WEB, target(deploymentObject('web'), '7')]) {
      expect(planned(rolled, NEW, [carried])).toMatchObject({ revision: 1, patches: [] });
    }
  });

  it('R-2.7 takes a target that was added, or recreated, under contract without rolling it out', () => {
    const running = target(deploymentObject('web'), '1');
    const rolled = planned(planned(BASELINE, NEW, [WEB]).state, NEW, [running]).state;
    const added = planned(rolled, NEW, [running, target(deploymentObject('api'))]);
    expect(added).toMatchObject({ patches: [] });
    const recreated = target(deploymentObject('web', { uid: 'another' }));
    expect(planned(planned(BASELINE, NEW, [WEB]).state, NEW, [recreated])).toMatchObject({ patches: [] });
  });

  it('R-2.7 without the label says so and patches nothing; with it, the change is caught up', () => {
    const unlabelled = target(deploymentObject('web', { labels: {} }));
    const waiting = planned(BASELINE, NEW, [unlabelled]);
    expect(waiting).toMatchObject({ patches: [], findings: ['Deployment/web MutationNotPermitted'] });
    expect(planned(waiting.state, NEW, [WEB])).toMatchObject({ revision: 1, patches: ['web'], findings: [] });
    // Without a change in between, the label alone rolls nothing.
    expect(planned(planned(BASELINE, OLD, [unlabelled]).state, OLD, [WEB])).toMatchObject({ patches: [] });
  });

  it('R-2.7 reports an absent target, and starts to manage it when it appears', () => {
    const absent: ObservedTarget = { name: 'web', deployment: { type: 'absent' } };
    const without = planned(BASELINE, NEW, [absent]);
    expect(without).toMatchObject({ patches: [], findings: ['Deployment/web TargetNotFound'] });
    expect(without.state.targets.size).toBe(0);
    expect(planned(without.state, NEW, [WEB])).toMatchObject({ patches: [] });
  });

  it.each([
    ['denied', 'TargetAccessDenied'],
    ['failed', 'TargetReadFailed'],
  ] as const)('R-1.17 a target keeps its stored state when its read is %s', (type, reason) => {
    const unread: ObservedTarget = { name: 'web', deployment: { type, error: new ApiError('Forbidden', 'x') } };
    const plan = planned(BASELINE, NEW, [unread]);
    expect(plan).toMatchObject({ revision: 1, patches: [], findings: [`Deployment/web ${reason}`] });
    expect(planned(plan.state, NEW, [WEB])).toMatchObject({ revision: 1, patches: ['web'] });
  });

  it('R-2.7 forgets a target that the contract no longer names', () => {
    expect(planned(BASELINE, OLD, []).state.targets.size).toBe(0);
  });
});

describe('what is remembered', () => {
  it('R-1.7 survives being written and read', () => {
    const { state } = planned(BASELINE, NEW, [WEB]);
    expect(readRolloutState(rolloutValues(state))).toEqual(state);
    expect(readRolloutState(rolloutValues(planRollout(undefined, new Map(), []).state))).toEqual({
      content: new Map(),
      revision: 0,
      targets: new Map(),
    });
  });

  it('R-1.3 the stored rollout state has the same bytes in any order of keys and targets', () => {
    const api = target(deploymentObject('api'));
    const one = rolloutValues(planRollout(undefined, digests({ a: '1', b: '2' }), [WEB, api]).state);
    const other = rolloutValues(planRollout(undefined, digests({ b: '2', a: '1' }), [api, WEB]).state);
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  it('R-2.7 a stored rollout state that cannot be read starts a new baseline', () => {
    expect(readRolloutState({})).toBeUndefined();
    expect(readRolloutState({ content: 'x', revision: '1', targets: '' })).toBeUndefined();
  });

  it('R-2.7 stays below 4 KB for 64 keys and 16 targets', () => {
    const content = digests(
      Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`${'k'.repeat(250)}${index}`, 'v'])),
    );
    const targets = Array.from({ length: 16 }, (_, index) => target(deploymentObject(`${'d'.repeat(240)}${index}`)));
    const state = {
      ...planRollout(undefined, content, targets).state,
      revision: 999_999_999,
      secret: targetMark('a/b'),
    };
    const counters = { revision: 999_999_999, writing: 999_999_999 };
    const rolled = new Map([...state.targets].map(([mark, each]) => [mark, { ...each, ...counters }]));
    const boundaries = Array.from({ length: 67 }, (_, index) => ({ of: `format/${index}`, atMs: index }));
    const values = { ...rolloutValues({ ...state, targets: rolled }), passed: boundaryMarks(boundaries) };
    expect(JSON.stringify(values).length).toBeLessThan(4_096);
    expect(new Set(targets.map(({ name }) => targetMark(name))).size).toBe(16);
  });
});
