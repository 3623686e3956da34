import * as fc from 'fast-check';
import { check, property } from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../lib/apiserver/json.ts';
import { applied, owners, tryApply, updated, widget } from './widget.ts';

const value = fc.constantFrom('x', 'y');
const spec = fc.record(
  {
    replicas: fc.integer({ min: 1, max: 2 }),
    nested: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    labels: fc.dictionary(fc.constantFrom('k', 'l'), value, { noNullPrototype: true }),
    args: fc.array(value, { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom('p', 'q', 'r')),
    ports: fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 3 }), name: value }), {
      selector: (each) => each.port,
    }),
  },
  { requiredKeys: [] },
);

function holds<T>(arbitrary: fc.Arbitrary<T>, law: (example: T) => void): void {
  const outcome = check(property(arbitrary, law), { numRuns: 400, seed: 11 });
  expect(outcome.failed, fc.defaultReportMessage(outcome)).toBe(false);
}

it('R-6.2 applying the same configuration again changes nothing', () => {
  holds(fc.tuple(spec, spec), ([theirs, mine]) => {
    const live = updated(undefined, widget(theirs as JsonObject), { manager: 'u' });
    const once = applied(live, widget(mine as JsonObject), { manager: 'a', force: true });
    expect(applied(once, widget(mine as JsonObject), { manager: 'a', time: 'later' })).toEqual(once);
  });
});

it('R-6.2 an applier that alone made an object and drops everything leaves nothing', () => {
  holds(spec, (mine) => {
    const object = applied(undefined, widget(mine as JsonObject), { manager: 'a' });
    const empty = applied(object, { ...widget({}), spec: {} }, { manager: 'a' });
    expect(objectAt(empty, 'spec') ?? {}).toEqual({});
    const bare = applied(
      object,
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
      { manager: 'a' },
    );
    expect(owners(bare)).toEqual({});
  });
});

it('R-6.2 an apply after another configuration has the same result as a direct apply', () => {
  holds(fc.tuple(spec, spec, spec), ([theirs, detour, mine]) => {
    const live = updated(undefined, widget(theirs as JsonObject), { manager: 'u' });
    const straight = tryApply(live, widget(mine as JsonObject), { manager: 'a' });
    const first = tryApply(live, widget(detour as JsonObject), { manager: 'a' });
    if (!straight.ok || !first.ok) return;
    const second = tryApply(first.object, widget(mine as JsonObject), { manager: 'a' });
    expect(second.ok && settled(objectAt(second.object, 'spec'))).toEqual(settled(objectAt(straight.object, 'spec')));
  });
});

it('R-6.2 without a conflict no field of another manager changes', () => {
  holds(fc.tuple(spec, spec), ([theirs, mine]) => {
    const live = applied(undefined, widget(theirs as JsonObject), { manager: 'a' });
    const result = tryApply(live, widget(mine as JsonObject), { manager: 'b' });
    if (!result.ok) return;
    expect(owners(result.object)['a/Apply']).toEqual(owners(live)['a/Apply']);
    const again = tryApply(result.object, widget(theirs as JsonObject), { manager: 'a' });
    expect(again.ok && settled(objectAt(again.object, 'spec'))).toEqual(settled(objectAt(result.object, 'spec')));
  });
});

/** The content that does not depend on the way: without the order of lists, and without what is empty. */
function settled(object: JsonObject | undefined): unknown {
  const members = Object.entries(object ?? {}).filter(
    ([, each]) => typeof each !== 'object' || Object.keys(each ?? {}).length > 0,
  );
  return Object.fromEntries(
    members.map(([name, each]) => [
      name,
      Array.isArray(each) && name !== 'args' ? each.map((item) => JSON.stringify(item)).sort() : each,
    ]),
  );
}
