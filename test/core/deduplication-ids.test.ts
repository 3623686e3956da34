import { describe, expect, it } from 'vitest';
import type { ChangedObject, SeenVersion } from '../../lib/core/changed-object.ts';
import {
  deduplicationId,
  type FanoutRequest,
  type FanoutStep,
  messageGroupOf,
  type PollRequest,
  type QueueMessage,
} from '../../lib/core/event.ts';
import { type EventParts, eventOf } from '../../lib/testing/event-of.ts';

const KIND = 'secretcontracts.evenkeel.dev';
const UID = '00000000-0000-4000-8000-000000000001';
const SECRET = { kind: 'secrets', namespace: 'default', name: 's' };
const LONG = 'n'.repeat(253);
const TARGET = `test/${KIND}/${UID}`;

const event = (parts: EventParts) =>
  eventOf(
    { cluster: 'test', kind: KIND, namespace: 'default', name: 'one', uid: UID },
    { incarnation: 3, at: 5, resourceVersion: '7', ...parts },
  );
const dependency = (seen: SeenVersion) =>
  event({ cause: 'dependency', changed: { ...SECRET, ...seen } as ChangedObject });
const READ = { v: 1, cluster: 'test', group: 'g', ...SECRET, at: 5 } as const;
const poll = (): PollRequest => ({ ...READ, cause: 'poll', dueAt: 1_750_000_060_000 });
const round = (step: FanoutStep): FanoutRequest => ({ ...READ, cause: 'fanout', step });

/**
 * The ids of release 0.1 and all later ones. With two ids for one observation it would arrive twice; with one id for
 * two changes the second would never arrive.
 */
const IDS: [string, QueueMessage, string, string][] = [
  ['a created target', event({ cause: 'created' }), `${TARGET}/3/rv:7`, TARGET],
  ['an updated target', event({ cause: 'updated' }), `${TARGET}/3/rv:7`, TARGET],
  ['a deleted target', event({ cause: 'deleted' }), `${TARGET}/3/rv:deleted:7`, TARGET],
  [
    'a target that left the selector',
    event({ cause: 'deleted', unselected: true }),
    `${TARGET}/3/rv:deleted:unselected:7`,
    TARGET,
  ],
  [
    'a target that a list lacks',
    event({ cause: 'deleted', tick: 4, resourceVersion: '9' }),
    `${TARGET}/3/rv:deleted:9`,
    TARGET,
  ],
  ['a dependency at its version', dependency({ uid: 'u-2', resourceVersion: '9' }), `${TARGET}/3/dep:u-2:9`, TARGET],
  ['a dependency without a UID', dependency({ resourceVersion: '9' }), `${TARGET}/3/dep:secrets/default/s:9`, TARGET],
  [
    'a deleted dependency',
    dependency({ uid: 'u-2', resourceVersion: '9', deleted: true }),
    `${TARGET}/3/dep:u-2:deleted:9`,
    TARGET,
  ],
  [
    'a dependency that a list lacks',
    dependency({ absentAt: '12' }),
    `${TARGET}/3/dep:secrets/default/s:absent:12`,
    TARGET,
  ],
  [
    'a dependency that a poll does not find',
    dependency({ absentAt: '1750000060000' }),
    `${TARGET}/3/dep:secrets/default/s:absent:1750000060000`,
    TARGET,
  ],
  [
    'a dependency whose marker is in doubt',
    dependency({ absentAt: 'round 17' }),
    '12c2992e59277e5e694ee11bc9f72a96ce94e191672b206da31f46036e56bb4b',
    TARGET,
  ],
  ['a dependency that cannot be read', dependency({}), `${TARGET}/3/dep:secrets/default/s:RANDOM`, TARGET],
  [
    'a deadline',
    event({ cause: 'due', dueAt: 1_750_000_060_000, epoch: 8 }),
    `${TARGET}/3/due:1750000060000:8`,
    TARGET,
  ],
  [
    'a target that resync lists',
    event({ cause: 'resync', tick: 4, resourceVersion: '9' }),
    `${TARGET}/3/resync:4:9:`,
    TARGET,
  ],
  [
    'a dependency that resync lists',
    event({ cause: 'resync', tick: 4, changed: { ...SECRET, resourceVersion: '9' } }),
    `${TARGET}/3/resync:4::dep:secrets/default/s:9`,
    TARGET,
  ],
  [
    'a dependency that the list of resync lacks',
    event({ cause: 'resync', tick: 4, changed: { ...SECRET, absentAt: '12' } }),
    `${TARGET}/3/resync:4::dep:secrets/default/s:absent:12`,
    TARGET,
  ],
  ['a request', event({ cause: 'requested' }), `${TARGET}/3/requested:RANDOM`, TARGET],
  ['a poll', poll(), 'test/secrets//0/poll:g:default/s:1750000060000', 'test/secrets/poll:default/s'],
  [
    'a round',
    round({ type: 'begin', incarnation: 3, round: 17 }),
    'test/secrets//3/fanout:g:default/s:17:',
    'test/secrets/fanout:default/s',
  ],
  [
    'a round of a change that a list found',
    { ...round({ type: 'begin', incarnation: 3, round: 17 }), bulk: true },
    'test/secrets//3/fanout:g:default/s:17:',
    'test/secrets/fanout:default/s',
  ],
  [
    'a round that was put off',
    round({ type: 'again' }),
    'test/secrets//0/fanout:g:default/s:again:RANDOM',
    'test/secrets/fanout:default/s',
  ],
  [
    'the rest of a round',
    round({ type: 'goOn', incarnation: 3, round: 17, place: '1/widgets.dev/u', seen: { resourceVersion: '9' } }),
    'test/secrets//3/fanout:g:default/s:17:1/widgets.dev/u',
    'test/secrets/fanout:default/s',
  ],
  [
    'a target with a long kind',
    { ...event({ cause: 'created' }), kind: `${'p'.repeat(63)}.${'g'.repeat(63)}` },
    'cf715444947930cf5f8281621e63c42049287e841f9aef13ae9a9049893626ae',
    '8b5ad32a30168c24a17797a37b2ec1c6e3f4baf8c06a37818867d73339f156ea',
  ],
  [
    'a dependency with a long name',
    event({ cause: 'dependency', changed: { ...SECRET, name: LONG, absentAt: '12' } }),
    '2fc4f2bbbb285108d4a51cbc1c56f9b6522e6acf9e66e8ddba8c3c7d55eeab13',
    TARGET,
  ],
  [
    'a poll of an object with a long name',
    { ...poll(), name: LONG },
    'ec4a31c6c57cfd2150f6035db874cae36ad0b092595f976faca757f013805668',
    '6a61c047450fe0eab122d0d59d52ce1c48a663da332227b59a7d6037c3c374ff',
  ],
  [
    'a round of an object with a long name',
    { ...round({ type: 'begin', incarnation: 3, round: 17 }), name: LONG },
    'f527089769d1d9ed5ff8e0cae48a940c040692535e79f96c7a7b81bcaf2cdc70',
    '08abc0d4a785c2ed6549af4c74881656ac8edf86c086d863de1310683633e13c',
  ],
];

describe('the ids of messages', () => {
  it.each(IDS)('R-5.2 R-6.8 the deduplication id and the group of %s stay as they were', (_, message, id, group) => {
    expect(deduplicationId(message, () => 'RANDOM')).toBe(id);
    expect(messageGroupOf(message)).toBe(group);
  });
});
