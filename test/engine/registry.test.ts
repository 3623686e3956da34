import { describe, expect, it } from 'vitest';
import { EVENT_VERSION, type PollRequest, type QueueMessage } from '../../lib/core/event.ts';
import { kindId, Namespaces, type ResourceType, Secrets } from '../../lib/core/resource-type.ts';
import { Registry } from '../../lib/engine/registry.ts';
import { Widgets } from '../support/widget.ts';

const controllerOf = (type: ResourceType) => ({
  name: type.plural,
  group: 'test',
  type,
  owns: [],
  reads: [],
  version: '1',
  reconcile: async () => ({ outcome: { type: 'settled' as const } }),
});

describe('Registry', () => {
  it.each(['poll', 'watch-labelled'] as const)(
    'R-6.4 registry refuses a controller when its reads of mode %s are unconditional',
    (mode) => {
      const reads = [{ type: Secrets, mode, unconditional: true }];
      expect(() => new Registry([{ ...controllerOf(Widgets), reads }])).toThrow(
        `widgets: its reads of secrets are unconditional with mode ${mode}. Only mode watch allows that.`,
      );
    },
  );
});

describe('Registry.refusal', () => {
  const registry = new Registry([controllerOf(Widgets), controllerOf(Namespaces)]);
  const PLACE = { cluster: 'test', kind: kindId(Widgets), namespace: 'default', name: 'one', at: 0 };
  const refusal = (fields: Partial<typeof PLACE>, group = 'test') =>
    refused(
      { v: EVENT_VERSION, ...PLACE, incarnation: 1, uid: 'u', cause: 'updated', resourceVersion: '1', ...fields },
      group,
    );
  const refused = (message: QueueMessage, group: string) =>
    registry.refusal(group, message, (cluster) => cluster === 'test');
  const poll = (group: string): PollRequest => ({
    v: EVENT_VERSION,
    ...PLACE,
    kind: 'secrets',
    cause: 'poll',
    group,
    dueAt: 1,
  });

  it('the registry accepts the events of its kinds', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ kind: kindId(Namespaces), namespace: '' })).toBeUndefined();
    expect(refused(poll('test'), 'test')).toBeUndefined();
  });

  it.each([
    ['an unknown cluster', { cluster: 'mars' }, 'cluster mars is not configured here'],
    ['an unknown kind', { kind: 'gadgets.example.com' }, 'no installed controller reconciles gadgets.example.com'],
    ['a kind that is no name of its own', { kind: '__proto__' }, 'no installed controller reconciles __proto__'],
    ['an object without its namespace', { namespace: '' }, 'are in a namespace, and the event names none'],
    [
      'a cluster-wide object in a namespace',
      { kind: kindId(Namespaces) },
      'are in no namespace, and the event names one',
    ],
  ])('R-5.4 the registry refuses %s with the reason', (_what, fields, reason) => {
    expect(refusal(fields)).toContain(reason);
  });

  it('R-5.4 the registry refuses a poll of another group with the reason', () => {
    expect(refused(poll('other'), 'test')).toBe('a poll of group other on the queue of test');
  });

  it('R-5.4 the registry refuses a kind in the queue of another group', () => {
    expect(refusal({}, 'other')).toContain('belongs to group test, this queue to other');
  });
});
