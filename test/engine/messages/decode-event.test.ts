import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../lib/engine/messages/decode-event.ts';

const HEAD = { v: 1, cluster: 'c', kind: 'widgets.dev', namespace: 'default', name: 'one', at: 5 };
const TARGET = { ...HEAD, incarnation: 1, uid: 'u' };
const READ = { ...HEAD, incarnation: 0, uid: '', group: 'g' };
const SECRET = { kind: 'secrets', namespace: 'default', name: 's', resourceVersion: '9' };

const SHOWN = { ...TARGET, cause: 'updated', resourceVersion: '7' };
const DEPENDENCY = { ...TARGET, cause: 'dependency', changed: SECRET };
const DUE = { ...TARGET, cause: 'due', dueAt: 1, epoch: 1 };

describe('decodeEvent', () => {
  it.each<[string, object, string]>([
    [
      'a created target without its version',
      { ...SHOWN, cause: 'created', resourceVersion: undefined },
      'resourceVersion: is missing',
    ],
    ['an updated target without its version', { ...SHOWN, resourceVersion: undefined }, 'resourceVersion: is missing'],
    [
      'a deleted target without its version',
      { ...SHOWN, cause: 'deleted', resourceVersion: undefined },
      'resourceVersion: is missing',
    ],
    ['a dependency that is not named', { ...DEPENDENCY, changed: undefined }, 'changed: is missing'],
    [
      'a dependency without a kind',
      { ...DEPENDENCY, changed: { ...SECRET, kind: undefined } },
      'changed.kind: is missing',
    ],
    [
      'a dependency with a version of another type',
      { ...DEPENDENCY, changed: { ...SECRET, resourceVersion: 9 } },
      'changed.resourceVersion: must be of type string',
    ],
    ['a deadline without its time', { ...DUE, dueAt: undefined }, 'dueAt: is missing'],
    ['a deadline without its epoch', { ...DUE, epoch: undefined }, 'epoch: is missing'],
    ['a deadline before 1970', { ...DUE, dueAt: -1 }, 'dueAt: is below 0'],
    ['a deadline that no double holds', { ...DUE, epoch: 1e300 }, `epoch: is above ${Number.MAX_SAFE_INTEGER}`],
    ['a difference of resync without its tick', { ...TARGET, cause: 'resync', changed: SECRET }, 'tick: is missing'],
    [
      'a difference of resync that says nothing',
      { ...TARGET, cause: 'resync', tick: 3 },
      'resourceVersion: is missing',
    ],
    ['a poll without its group', { ...READ, cause: 'poll', dueAt: 1, group: undefined }, 'group: is missing'],
    ['a poll without its deadline', { ...READ, cause: 'poll' }, 'dueAt: is missing'],
    ['an event without a UID', { ...SHOWN, uid: '' }, 'uid: is empty'],
    ['an event without a cause', { ...SHOWN, cause: undefined }, 'cause: is none that this release knows'],
    ['an event of another cause', { ...SHOWN, cause: 'dreamt' }, 'cause: is none that this release knows'],
    ['an event with a fraction of an incarnation', { ...SHOWN, incarnation: 1.5 }, 'incarnation: must be of type int'],
    [
      'an event with a name that leaves its path',
      { ...SHOWN, name: '..' },
      'name: cannot be a part of a path of the API server',
    ],
    ['an event with a long UID', { ...SHOWN, uid: 'u'.repeat(65) }, 'uid: has more than 64 characters'],
    ['an event without a version of the wire', { ...SHOWN, v: undefined }, 'v: is missing'],
    ['an event with two faults', { ...SHOWN, uid: '', at: 'now' }, 'at: must be of type number; uid: is empty'],
    ['a list', [], 'event: must be of type object'],
  ])('R-5.4 decodeEvent names the field and the fault of %s', (_, message, detail) => {
    expect(decodeEvent(JSON.stringify(message))).toEqual({ ok: false, reason: 'Malformed', detail });
  });

  it('R-5.4 decodeEvent quotes nothing of a message that it refuses', () => {
    for (const field of [
      'cluster',
      'incarnation',
      'kind',
      'namespace',
      'name',
      'uid',
      'cause',
      'at',
      'resourceVersion',
    ]) {
      for (const value of [{ hunter2: 'hunter2' }, ['hunter2'], 'hunter2/%'.repeat(200)]) {
        const decoded = decodeEvent(JSON.stringify({ ...SHOWN, [field]: value, hunter2: 1 }));
        expect(decoded).toMatchObject({
          ok: false,
          reason: 'Malformed',
          detail: expect.stringContaining(`${field}: `),
        });
        expect(JSON.stringify(decoded)).not.toContain('hunter2');
      }
    }
  });

  it.each<[string, object]>([
    ['a version', { ...DEPENDENCY, resourceVersion: '5', tick: 1 }],
    ['a deadline', { ...SHOWN, dueAt: 3, epoch: 4 }],
    ['a changed object', { ...DUE, changed: SECRET, seen: {} }],
  ])('R-5.1 decodeEvent drops %s of another cause', (_, message) => {
    const decoded = decodeEvent(JSON.stringify(message));
    if (!decoded.ok) throw new Error(decoded.detail);
    const own = { updated: SHOWN, dependency: DEPENDENCY, due: DUE }[decoded.event.cause as 'due'];
    expect(decoded.event).toEqual(own);
  });
});
