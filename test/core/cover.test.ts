import { describe, expect, it } from 'vitest';
import { coverOf, isCovered, markOf, marksAreCovered, type Recorded } from '../../lib/core/cover.ts';
import type { SkinnyEvent } from '../../lib/core/event.ts';
import { hashedKey, objectKey } from '../../lib/core/observation.ts';
import { type EventParts, eventOf } from '../../lib/testing/event-of.ts';

const SECRET = { kind: 'secrets', namespace: 'ns', name: 's' };
const SELF = { kind: 'widgets', namespace: 'ns', name: 'w' };
/** Its key is too long for an event, so the event contains a hash of it. */
const LONG_SELF = { ...SELF, name: 'w'.repeat(253) };
const LONG = { ...SECRET, name: 'n'.repeat(253) };

const event = (what: EventParts, target = SELF): SkinnyEvent =>
  eventOf({ cluster: 'c', uid: 'u', ...target }, { incarnation: 2, resourceVersion: '1', ...what });

/** The record of a pass in incarnation 2: itself at 10, the Secrets at 20, and another object as absent. */
const RECORDED: Recorded = {
  target: SELF,
  incarnation: 2,
  observedVersion: 10,
  committedEpoch: 5,
  versions: { [objectKey('secrets', SECRET)]: 20, [objectKey('secrets', LONG)]: 20, 'secrets/ns/gone': 0 },
};
/** The versions for marks: the object itself is one of the recorded ones. */
const SEEN = { ...RECORDED.versions, [objectKey(SELF.kind, SELF)]: 10 };

describe('the covering rule', () => {
  it.each<[string, EventParts, boolean]>([
    ['its own event of the version that it saw', { resourceVersion: '10' }, true],
    ['its own event of an older version', { resourceVersion: '9', cause: 'created' }, true],
    ['its own event of a newer version', { resourceVersion: '11' }, false],
    ['its own event of another incarnation', { resourceVersion: '9', incarnation: 1 }, false],
    ['its own event of a later incarnation', { resourceVersion: '9', incarnation: 3 }, false],
    ['its own event without a comparable version', { resourceVersion: '9a' }, false],
    [
      'a dependency at the version that it read',
      { cause: 'dependency', changed: { ...SECRET, resourceVersion: '20' } },
      true,
    ],
    ['a dependency at a newer version', { cause: 'dependency', changed: { ...SECRET, resourceVersion: '21' } }, false],
    [
      'a dependency of another incarnation',
      { cause: 'dependency', incarnation: 1, changed: { ...SECRET, resourceVersion: '3' } },
      false,
    ],
    [
      'a dependency that it read as absent',
      { cause: 'dependency', changed: { ...SECRET, name: 'gone', resourceVersion: '1' } },
      false,
    ],
    [
      'a dependency that it did not read',
      { cause: 'dependency', changed: { ...SECRET, name: 'other', resourceVersion: '1' } },
      false,
    ],
    [
      'a dependency that was deleted',
      { cause: 'dependency', changed: { ...SECRET, resourceVersion: '1', deleted: true } },
      false,
    ],
    [
      'itself as a dependency, at the version that it saw',
      { cause: 'dependency', changed: { ...SELF, resourceVersion: '10' } },
      true,
    ],
    [
      'itself as a dependency, at an older version and under an older UID',
      { cause: 'dependency', changed: { ...SELF, uid: 'gone', resourceVersion: '3' } },
      true,
    ],
    [
      'itself as a dependency, at a newer version',
      { cause: 'dependency', changed: { ...SELF, resourceVersion: '11' } },
      false,
    ],
    [
      'itself as a dependency, of another incarnation',
      { cause: 'dependency', incarnation: 1, changed: { ...SELF, resourceVersion: '9' } },
      false,
    ],
    [
      'itself as a dependency, deleted',
      { cause: 'dependency', changed: { ...SELF, resourceVersion: '9', deleted: true } },
      false,
    ],
    [
      'an object of its name and another kind',
      { cause: 'dependency', changed: { ...SELF, kind: 'gadgets', resourceVersion: '1' } },
      false,
    ],
    [
      'an object of its kind and name in another namespace',
      { cause: 'dependency', changed: { ...SELF, namespace: 'other', resourceVersion: '1' } },
      false,
    ],
    ['a deletion', { cause: 'deleted', resourceVersion: '1' }, false],
    ['a difference that resync found', { cause: 'resync', resourceVersion: '1' }, false],
    ['a request', { cause: 'requested', resourceVersion: '1' }, false],
  ])('R-1.2 an item and a set of marks judge the same of %s', (_, what, expected) => {
    const told = event(what);
    expect(isCovered(coverOf(told), RECORDED)).toBe(expected);
    expect(marksAreCovered([markOf(told)], 2, SEEN)).toBe(expected);
  });

  it('R-5.1 an object whose key is too long is named by its hash and covered like any other', () => {
    const object = hashedKey(objectKey('secrets', LONG));
    const cover = (version: number) => ({ type: 'object', incarnation: 2, object, version }) as const;
    expect([20, 21].map((version) => isCovered(cover(version), RECORDED))).toEqual([true, false]);
    const marks = [20, 21].map((version) => `2/${object}@${version}`);
    expect(marks.map((mark) => marksAreCovered([mark], 2, SEEN))).toEqual([true, false]);
  });

  it('R-1.2 R-1.8 itself as a dependency is covered when its key is too long and stands as a hash', () => {
    const recorded = { ...RECORDED, target: LONG_SELF };
    const object = hashedKey(objectKey(LONG_SELF.kind, LONG_SELF));
    const cover = (version: number) => ({ type: 'object', incarnation: 2, object, version }) as const;
    expect([10, 11].map((version) => isCovered(cover(version), recorded))).toEqual([true, false]);
    expect(isCovered({ ...cover(10), object: hashedKey(objectKey(SELF.kind, SELF)) }, recorded)).toBe(false);
  });

  it('R-1.28 itself as a dependency is judged by the address that the item records, not by that of the event', () => {
    const named = { ...SELF, name: 'forged' };
    const forged = event({ cause: 'dependency', changed: { ...named, resourceVersion: '1' } }, named);
    expect(isCovered(coverOf(forged), RECORDED)).toBe(false);
  });

  it('R-1.8 itself as a dependency is covered by the newer of the versions that it was observed and listed at', () => {
    const listed = (version: number) => ({ ...RECORDED, versions: { [objectKey(SELF.kind, SELF)]: version } });
    const told = coverOf(event({ cause: 'dependency', changed: { ...SELF, resourceVersion: '9' } }));
    expect([8, 9].map((version) => isCovered(told, listed(version)))).toEqual([true, true]);
    const { observedVersion: _, ...unobserved } = listed(8);
    expect(isCovered(told, unobserved)).toBe(false);
  });

  it.each([
    [4, true],
    [5, false],
    [6, false],
  ])('R-1.25 a deadline of epoch %i is covered only once a later pass committed', (epoch, expected) => {
    expect(isCovered(coverOf(event({ cause: 'due', epoch })), RECORDED)).toBe(expected);
    expect(marksAreCovered([markOf(event({ cause: 'due', epoch }))], 2, SEEN)).toBe(false);
  });
});
