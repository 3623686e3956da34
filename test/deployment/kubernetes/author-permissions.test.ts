import { describe, expect, it } from 'vitest';
import type { ReadKind } from '../../../lib/core/controller.ts';
import { declaredPermissions } from '../../../lib/deployment/kubernetes/author-permissions.ts';
import { Secrets } from '../../../lib/index.ts';
import { websiteController } from '../../kit/controller/websites.ts';

/** The verbs on Secrets of the group's role and of the relay's role. */
function verbsFor(read: Partial<ReadKind>): (readonly string[] | undefined)[] {
  const controller = websiteController({ reads: [{ type: Secrets, mode: 'watch', ...read }] });
  const { reconcile, relay } = declaredPermissions([controller]);
  return [reconcile, relay].map((rules) => rules.find(({ resources }) => resources.includes('secrets'))?.verbs);
}

describe('declaredPermissions', () => {
  it.each<[string, Partial<ReadKind>, readonly string[], readonly string[] | undefined]>([
    ['watched', {}, ['get', 'list'], ['list', 'watch']],
    ['watched and never listed in a pass', { lists: false }, ['get'], ['list', 'watch']],
    ['polled', { mode: 'poll' }, ['get'], undefined],
  ])(
    'R-5.12 R-6.9 the roles permit only the verbs that the controller needs when a kind is %s',
    (_, read, ...verbs) => {
      expect(verbsFor(read)).toEqual(verbs);
    },
  );
});
