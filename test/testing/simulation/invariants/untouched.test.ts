import { describe, expect, it } from 'vitest';
import { ConfigMaps, kindId } from '../../../../lib/core/resource-type.ts';
import { Bounds, PAUSED } from '../../../../lib/testing/simulation/bounds.ts';
import { ClusterMirror } from '../../../../lib/testing/simulation/cluster-mirror.ts';
import { learnPage, learnRead, newAttempt, unlearn } from '../../../../lib/testing/simulation/invariants/learn.ts';
import type { PassRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';
import { Untouched } from '../../../../lib/testing/simulation/invariants/untouched.ts';
import type { ObservedCall } from '../../../../lib/testing/simulation/process.ts';
import { Widgets, widgetController } from '../../../support/widget.ts';

const NAME = { namespace: 'default', name: 'one' };
const TARGET = { cluster: 'test', kind: kindId(Widgets), uid: 'u', ...NAME };

function widget(resourceVersion: string, annotations: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'Widget', metadata: { ...NAME, uid: 'u', resourceVersion, annotations } };
}
const FREE = widget('1');
const PAUSED_WIDGET = widget('2', { [PAUSED]: 'true' });

/** An attempt at the widget, and the checker that receives its writes. */
function attemptAtWidget() {
  const violations: string[] = [];
  const report = (invariant: string, what: string) => violations.push(`${invariant} ${what}`);
  const untouched = new Untouched(report, new ClusterMirror(), [widgetController()], new Bounds({}));
  const attempt = newAttempt({ target: TARGET } as PassRecord);
  const call = (method: string, ...args: unknown[]) => ({ method, args }) as unknown as ObservedCall;
  return {
    violations,
    gets: (object: object) => {
      const get = call('get', Widgets, NAME);
      learnRead(attempt, get, { ok: true, value: object });
      return { losesTheAnswer: () => unlearn(attempt, get, new Error('no answer')) };
    },
    lists: (object: object) => learnPage(attempt, call('list', Widgets), { ok: true, value: { items: [object] } }),
    writes: () => untouched.calling(call('create', ConfigMaps, {}), attempt),
  };
}

describe('the checker of what an installation leaves alone', () => {
  it('R-6.7 checker reports a write of a pass when the pass read its object as paused', () => {
    const { violations, gets, writes } = attemptAtWidget();
    gets(FREE);
    writes();
    expect(violations).toEqual([]);
    gets(PAUSED_WIDGET);
    writes();
    expect(violations).toEqual([
      `I5 ${TARGET.kind} default/one (u) is paused, and its pass sends a create of configmaps`,
    ]);
  });

  it('R-6.7 checker reports no write when only a list of the pass shows its object as paused later', () => {
    const { violations, gets, lists, writes } = attemptAtWidget();
    gets(FREE);
    lists(PAUSED_WIDGET);
    writes();
    expect(violations).toEqual([]);
  });

  it('R-6.7 checker reports a write when a list shows the object free again and the pass had read it as paused', () => {
    const { violations, gets, lists, writes } = attemptAtWidget();
    gets(PAUSED_WIDGET);
    lists(FREE);
    writes();
    expect(violations).toHaveLength(1);
  });

  it('R-6.7 checker reports no write when the answer that showed the pause was lost', () => {
    const { violations, gets, writes } = attemptAtWidget();
    gets(FREE);
    gets(PAUSED_WIDGET).losesTheAnswer();
    writes();
    expect(violations).toEqual([]);
  });
});
