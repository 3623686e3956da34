import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../lib/core/kube-object.ts';
import type { CommitRecord } from '../../../../lib/ports/state-store.ts';
import type { ObjectWrite } from '../../../../lib/testing/simulation/invariants/invariant.ts';
import type { Attempt } from '../../../../lib/testing/simulation/invariants/pass-record.ts';
import { UndoneWrites } from '../../../../lib/testing/simulation/invariants/undone-writes.ts';

const SETTLED = { lastOutcome: { type: 'settled' } } as CommitRecord;
const FAILED = { lastOutcome: { type: 'retry' } } as CommitRecord;

function pod(image: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'p', uid: 'p1', resourceVersion: '7' },
    image,
  };
}

/** A checker, and a pass that writes an image. */
function sending(image: string) {
  const undone = new UndoneWrites();
  const attempt = () => ({ pass: { target: { kind: 't4sessions', uid: 'u' } } }) as Attempt;
  const request = { operation: 'UPDATE', group: '', resource: 'pods', namespace: 'default' } as const;
  const reviewed = (answer: string) =>
    undone.reviewed({ ...request, object: pod(image) as JsonObject }, { object: pod(answer) as JsonObject });
  const write = (uid = 'p1', version = '7'): ObjectWrite => {
    const before = pod('rewritten');
    const about = { kind: 'pods', namespace: 'default', name: 'p', after: before, answer: before };
    const guarded = { metadata: { uid, resourceVersion: version }, image };
    const call = { method: 'patch', args: [{}, {}, { type: 'merge', patch: guarded }] } as unknown;
    const read = { ...before, metadata: { ...before.metadata, uid, resourceVersion: version } };
    return { ...about, call: call as ObjectWrite['call'], before: read };
  };
  return { undone, attempt, reviewed, write };
}

describe('writes that admission undoes', () => {
  it('R-1.3 checker excuses a write that changes nothing only when admission changed what was sent', () => {
    const { undone, attempt, reviewed, write } = sending('ours');
    expect(undone.excuses(write(), attempt())).toBe(false);
    reviewed('ours');
    expect(undone.excuses(write(), attempt())).toBe(false);
    reviewed('rewritten');
    expect(undone.excuses(write(), attempt())).toBe(true);
  });

  it.each([
    ['its pass settled', SETTLED, 'p1', '7', false],
    ['its pass settled, and another field of the object changed', SETTLED, 'p1', '8', false],
    ['its pass failed, so that nothing is known of the answer', FAILED, 'p1', '7', true],
    ['another object has the name', SETTLED, 'p2', '8', true],
  ])('R-1.3 checker judges the same write again when %s', (_, commit, uid, version, isExcused) => {
    const { undone, attempt, reviewed, write } = sending('ours');
    reviewed('rewritten');
    const first = attempt();
    expect(undone.excuses(write(), first)).toBe(true);
    undone.committed(first, commit);
    expect(undone.excuses(write(uid, version), attempt())).toBe(isExcused);
  });

  it('R-1.3 checker excuses the same write again when its answer was lost', () => {
    const { undone, attempt, reviewed, write } = sending('ours');
    reviewed('rewritten');
    const [first, sent] = [attempt(), write()];
    expect(undone.excuses(sent, first)).toBe(true);
    undone.unanswered(sent.call);
    undone.committed(first, SETTLED);
    expect(undone.excuses(write(), attempt())).toBe(true);
  });
});
