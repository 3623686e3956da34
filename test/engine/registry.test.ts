import { describe, expect, it } from 'vitest';
import { EVENT_VERSION, type SkinnyEvent } from '../../lib/core/event.ts';
import { kindId, Namespaces, type ResourceType } from '../../lib/core/resource-type.ts';
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

describe('Registry.refusal', () => {
  const registry = new Registry([controllerOf(Widgets), controllerOf(Namespaces)]);
  const event = (fields: Partial<SkinnyEvent>): SkinnyEvent => ({
    v: EVENT_VERSION,
    cluster: 'test',
    incarnation: 1,
    kind: kindId(Widgets),
    namespace: 'default',
    name: 'one',
    uid: 'u',
    cause: 'updated',
    at: 0,
    ...fields,
  });
  const refusal = (fields: Partial<SkinnyEvent>, group = 'test') =>
    registry.refusal(group, event(fields), (cluster) => cluster === 'test');

  it('takes the events of its kinds', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ kind: kindId(Namespaces), namespace: '' })).toBeUndefined();
    expect(refusal({ cause: 'poll', group: 'test', kind: 'secrets', uid: '' })).toBeUndefined();
  });

  it.each([
    ['an unknown cluster', { cluster: 'mars' }, 'cluster mars is not configured here'],
    ['an unknown kind', { kind: 'gadgets.example.com' }, 'no installed controller reconciles gadgets.example.com'],
    ['a kind that is no name of its own', { kind: '__proto__' }, 'no installed controller reconciles __proto__'],
    [
      'a poll of another group',
      { cause: 'poll' as const, group: 'other' },
      'a poll of group other on the queue of test',
    ],
    ['an object without its namespace', { namespace: '' }, 'are in a namespace, and the event names none'],
    [
      'a cluster-wide object in a namespace',
      { kind: kindId(Namespaces) },
      'are in no namespace, and the event names one',
    ],
  ])('R-5.4 %s can never be handled, and the reason says why', (_what, fields, reason) => {
    expect(refusal(fields)).toContain(reason);
  });

  it("R-5.4 a kind of another group's queue can never be handled there", () => {
    expect(refusal({}, 'other')).toContain('belongs to group test, this queue to other');
  });
});
