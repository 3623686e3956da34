import { describe, expect, it } from 'vitest';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  kindId,
  type ResourceType,
} from '../../../../lib/core/resource-type.ts';
import { ApiError, type ApiErrorReason } from '../../../../lib/ports/cluster-api.ts';
import { learnPage, learnRead, newAttempt, unlearn } from '../../../../lib/testing/simulation/invariants/learn.ts';
import type { PassRecord } from '../../../../lib/testing/simulation/invariants/pass-record.ts';
import type { ObservedCall } from '../../../../lib/testing/simulation/process.ts';

const Things: ResourceType = { group: 'test', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true };

/** An attempt that reads, each time with this answer. */
function attempt() {
  const known = newAttempt({ target: { kind: 'others.test', namespace: '', name: 'own' } } as PassRecord);
  const callOf = (type: ResourceType, name: string) =>
    ({ method: 'get', args: [type, { namespace: '', name }] as readonly unknown[] }) as ObservedCall;
  return {
    known,
    fails: (type: ResourceType, name: string, reason: ApiErrorReason) =>
      learnRead(known, callOf(type, name), { ok: false, error: new ApiError(reason, 'no') }),
    hearsNothing: (type: ResourceType, name: string, error: Error) => unlearn(known, callOf(type, name), error),
    finds: (type: ResourceType, name: string) =>
      learnRead(known, callOf(type, name), { ok: true, value: { metadata: { name, resourceVersion: '1' } } }),
  };
}

describe('learn: reads that ended in neither an object nor its absence', () => {
  it('R-5.5 those that failed for want of the kind have come to an end once its definition is read, and gone', () => {
    const { known, fails, hearsNothing } = attempt();
    fails(Things, 'a', 'KindMissing');
    hearsNothing(Things, 'b', new ApiError('KindMissing', 'refused'));
    expect(known.failedReads).toBe(2);
    for (let reading = 0; reading < 2; reading += 1) fails(CustomResourceDefinitions, kindId(Things), 'NotFound');
    expect(known.failedReads).toBe(0);
  });

  it('R-5.5 not where the definition is there, or another one is gone, or that could not be told', () => {
    const { known, fails, finds } = attempt();
    fails(Things, 'a', 'KindMissing');
    finds(CustomResourceDefinitions, kindId(Things));
    fails(CustomResourceDefinitions, 'others.test', 'NotFound');
    expect(known.failedReads).toBe(1);
    fails(CustomResourceDefinitions, kindId(Things), 'Forbidden');
    expect(known.failedReads).toBe(2);
  });

  it('R-5.5 those that failed for another reason stay failed, as does one for want of the kind after that', () => {
    const { known, fails } = attempt();
    fails(Things, 'a', 'ServerError');
    fails(ConfigMaps, 'a', 'Forbidden');
    fails(CustomResourceDefinitions, kindId(Things), 'NotFound');
    fails(Things, 'a', 'KindMissing');
    expect(known.failedReads).toBe(3);
  });
});

describe('learn: an object that a list of the same attempt lacked', () => {
  const list = (labelSelector?: string) =>
    ({
      method: 'list',
      args: [Things, labelSelector === undefined ? {} : { labelSelector }],
    }) as unknown as ObservedCall;

  it.each([
    ['the list shows all', undefined],
    ['labels choose what the list shows', 'team=a'],
  ])('R-1.10 attempt knows no version of it when it is read by name after the list, and %s', (_, labelSelector) => {
    const { known, fails, finds } = attempt();
    learnPage(known, list(labelSelector), { ok: true, value: { items: [], resourceVersion: '7' } });
    fails(Things, 'made', 'NotFound');
    expect([...known.lacked]).toEqual(['things.test//made']);
    finds(ConfigMaps, 'made');
    expect(known.lacked.size).toBe(1);
  });

  it('R-1.10 attempt knows its version when it is read by name before the list', () => {
    const { known, fails } = attempt();
    fails(Things, 'made', 'NotFound');
    learnPage(known, list(), { ok: true, value: { items: [], resourceVersion: '7' } });
    fails(Things, 'made', 'NotFound');
    expect(known.lacked.size).toBe(0);
  });
});

describe('learn: a target in a list that its own pass reads', () => {
  const Others: ResourceType = { group: 'test', version: 'v1', plural: 'others', kind: 'Other', namespaced: false };
  const list = { method: 'list', args: [Others, {}] } as unknown as ObservedCall;
  const page = (name: string, resourceVersion: string) =>
    ({
      ok: true,
      value: { items: [{ metadata: { name, resourceVersion } }], resourceVersion: '9' },
    }) as const;

  it('R-1.10 attempt knows the version of the list when the target had been loaded at an older one', () => {
    const { known, finds } = attempt();
    finds(Others, 'own');
    learnPage(known, list, page('own', '4'));
    learnPage(known, list, page('own', '6'));
    expect(known.listedTarget).toBe(4);
    expect(known.known.get('others.test//own')).toEqual({ version: '1', upTo: 1 });
  });

  it('R-1.10 attempt knows no such version when the list shows others, or its answer is lost', () => {
    const { known, finds } = attempt();
    finds(Others, 'own');
    learnPage(known, list, page('another', '4'));
    expect(known.listedTarget).toBeUndefined();
    learnPage(known, list, page('own', '4'));
    unlearn(known, list, new Error('lost'));
    expect(known.listedTarget).toBeUndefined();
  });
});
