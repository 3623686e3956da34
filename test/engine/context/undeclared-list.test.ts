import { describe, expect, it } from 'vitest';
import type { ReadKind } from '../../../lib/core/controller.ts';
import { ConfigMaps, Namespaces } from '../../../lib/core/resource-type.ts';
import { undeclaredList } from '../../../lib/engine/context/undeclared-list.ts';

const LABEL = 'app.kubernetes.io/managed-by=evenkeel';

describe('undeclaredList', () => {
  it.each<[string, ReadKind, Parameters<typeof undeclaredList>[1], RegExp | undefined]>([
    ['a watched kind', { type: ConfigMaps, mode: 'watch' }, { namespace: 'a' }, undefined],
    ['a polled kind', { type: ConfigMaps, mode: 'poll' }, { namespace: 'a' }, /without watching it/],
    [
      'a kind that no pass lists',
      { type: ConfigMaps, mode: 'watch', lists: false },
      { namespace: 'a' },
      /leave that out/,
    ],
    ['all namespaces, undeclared', { type: ConfigMaps, mode: 'watch' }, { namespace: '' }, /over all namespaces/],
    [
      'all namespaces, declared',
      { type: ConfigMaps, mode: 'watch', listsAllNamespaces: true },
      { namespace: '' },
      undefined,
    ],
    ['a kind without namespaces', { type: Namespaces, mode: 'watch' }, { namespace: '' }, undefined],
    // The list would contain an object without the label, but no event would report its deletion.
    ['a kind watched by label, whole', { type: ConfigMaps, mode: 'watch-labelled' }, { namespace: 'a' }, /our label/],
    [
      'a kind watched by label, by another one',
      { type: ConfigMaps, mode: 'watch-labelled' },
      { namespace: 'a', labelSelector: `x-${LABEL},team=a` },
      /our label/,
    ],
    [
      'a kind watched by label, by that label and another one',
      { type: ConfigMaps, mode: 'watch-labelled' },
      { namespace: 'a', labelSelector: `team=a,${LABEL}` },
      undefined,
    ],
  ])(
    'I2 a list is allowed exactly when its changes start a pass of its readers: %s',
    (_name, declared, options, fault) => {
      const found = undeclaredList(declared, options);
      if (fault === undefined) expect(found).toBeUndefined();
      else expect(found).toMatch(fault);
    },
  );
});
