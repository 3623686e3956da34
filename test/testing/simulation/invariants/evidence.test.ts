import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../lib/core/kube-object.ts';
import { Evidence } from '../../../../lib/testing/simulation/invariants/evidence.ts';
import type { ObjectWrite } from '../../../../lib/testing/simulation/invariants/invariant.ts';
import { newAttempt } from '../../../../lib/testing/simulation/invariants/learn.ts';
import type { PassRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';

const TARGET = { kind: 'things.test', namespace: 'default', name: 'a', uid: 'uid-a' };
const condition = (type: string, status: string) => ({ type, status, observedGeneration: 1 });
const withStatus = (...conditions: object[]) =>
  ({
    metadata: { namespace: 'default', name: 'a', generation: 1 },
    status: { observedGeneration: 1, conditions },
  }) as unknown as KubeObject;

/** The invariant's reports when a pass that read nothing adds these conditions to a True one that existed before. */
function reported(...added: object[]): string[] {
  const reports: string[] = [];
  const evidence = new Evidence(
    (_, what) => reports.push(what),
    [() => 'HostReady is True, and the host was not seen'],
  );
  const found = condition('HostReady', 'True');
  const call = { args: [undefined, undefined, undefined, { subresource: 'status' }] };
  const write = { ...TARGET, call, before: withStatus(found), after: withStatus(found, ...added) };
  evidence.wrote(write as unknown as ObjectWrite, newAttempt({ target: TARGET } as unknown as PassRecord));
  return reports;
}

describe('evidence', () => {
  it.each(['Reconciling', 'Stalled'])('R-5.5 a pass that failed claims nothing when it adds %s', (type) => {
    expect(reported(condition('Ready', 'Unknown'), condition(type, 'True'))).toEqual([]);
  });

  it('R-5.5 a pass claims what it found when it adds another condition that is True', () => {
    expect(reported(condition('WorkspaceReady', 'True'))).not.toEqual([]);
  });
});
