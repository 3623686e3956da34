import { describe, expect, it } from 'vitest';
import {
  ConfigMaps,
  CustomResourceDefinitions,
  kindId,
  type ResourceType,
} from '../../../../lib/core/resource-type.ts';
import { ApiError, type ApiErrorReason } from '../../../../lib/ports/cluster-api.ts';
import {
  learnPage,
  learnRead,
  newAttempt,
  settleAhead,
  unlearn,
} from '../../../../lib/testing/simulation/invariants/learn.ts';
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

  it('R-5.5 reads that failed for another reason stay failed, and so does a later one of a missing kind', () => {
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

describe('learn: what a pass read ahead of its target', () => {
  const Others: ResourceType = { group: 'test', version: 'v1', plural: 'others', kind: 'Other', namespaced: false };
  const KEY = 'things.test//seen';

  /** Reads an object together with the target, and once more later if a second version is given. */
  function reads(first: string | undefined, again?: string) {
    const known = newAttempt({ target: { kind: 'others.test', namespace: '', name: 'own' } } as PassRecord);
    const get = (type: ResourceType, name: string, version: string | undefined, issuedAtMs: number) => {
      const call = { method: 'get', args: [type, { namespace: '', name }], issuedAtMs } as unknown as ObservedCall;
      const error = new ApiError('NotFound', 'no');
      const value = { metadata: { name, resourceVersion: version } };
      learnRead(known, call, version === undefined ? { ok: false, error } : { ok: true, value });
    };
    get(Things, 'seen', first, 5);
    get(Others, 'own', '9', 5);
    get(Things, 'later', '3', 6);
    if (again !== undefined) get(Things, 'seen', again, 6);
    return known;
  }

  it.each([
    ['it records the version that it read', '4', undefined, { [KEY]: 4 }, [KEY], { version: '4', upTo: 4 }],
    ['it records the version of a second read', '4', '6', { [KEY]: 6 }, [KEY], { version: '6', upTo: 6 }],
    ['it records the edge to what is absent', undefined, undefined, {}, [KEY], { version: undefined, upTo: undefined }],
    ['it records nothing of it', '4', undefined, {}, [], undefined],
    ['it keeps the version of an earlier pass', '4', undefined, { [KEY]: 2 }, [KEY], undefined],
    ['it records no edge to what is absent', undefined, undefined, {}, [], undefined],
  ] as const)(
    'R-5.5 attempt knows of it what its commit shows when %s',
    (_, first, again, versions, edges, knowledge) => {
      const known = reads(first, again);
      settleAhead(known, { versions, edges: [...edges] as never });
      expect(known.known.get(KEY)).toEqual(knowledge);
      expect(known.known.get('things.test//later')).toEqual({ version: '3', upTo: 3 });
    },
  );
});
