import { describe, expect, it } from 'vitest';
import { reconcilerVersion } from '../../lib/core/reconciler-version.ts';

const SETTINGS = { allow: true, parent: { namespace: 'edge', name: 'public' }, keys: ['a', 'b'], checkMs: 600_000 };

describe('the version of a controller that rests on settings', () => {
  it('R-5.15 is the same for equal settings in every process, with any order of fields', () => {
    const reordered = {
      checkMs: 600_000,
      keys: ['a', 'b'],
      parent: { name: 'public', namespace: 'edge' },
      allow: true,
    };
    expect(reconcilerVersion('1', reordered)).toBe(reconcilerVersion('1', SETTINGS));
    // Not computed here: it must never change by itself, since every target would get a pass by it.
    expect(reconcilerVersion('1', SETTINGS)).toBe('1-6504249847f8');
  });

  it('R-5.15 a field that is undefined is one that was left out', () => {
    const wordy = { ...SETTINGS, none: undefined, parent: { ...SETTINGS.parent, sectionName: undefined } };
    expect(reconcilerVersion('1', wordy)).toBe(reconcilerVersion('1', SETTINGS));
  });

  it.each<[string, object]>([
    ['another value', { ...SETTINGS, allow: false }],
    ['another value within', { ...SETTINGS, parent: { ...SETTINGS.parent, name: 'private' } }],
    ['a field more', { ...SETTINGS, more: null }],
    ['a field less', { allow: true, parent: SETTINGS.parent, keys: SETTINGS.keys }],
    ['an item less', { ...SETTINGS, keys: ['a'] }],
    ['other items in the same text', { ...SETTINGS, keys: ['a,b'] }],
    ['another order of items', { ...SETTINGS, keys: ['b', 'a'] }],
    ['a text instead of a number', { ...SETTINGS, checkMs: '600000' }],
    ['a list instead of an object', { ...SETTINGS, parent: ['namespace', 'edge', 'name', 'public'] }],
  ])('R-5.15 %s makes another one', (_, changed) => {
    expect(reconcilerVersion('1', changed)).not.toBe(reconcilerVersion('1', SETTINGS));
  });

  it('R-5.15 other code makes another one', () => {
    expect(reconcilerVersion('2', SETTINGS)).not.toBe(reconcilerVersion('1', SETTINGS));
  });

  it.each<[string, unknown]>([
    ['a function', () => 'password'],
    ['an object of a class', new URL('https://id.example.org')],
    ['bytes', Buffer.from('key')],
    ['a number that JSON does not have', Number.NaN],
    ['an item that is undefined', [undefined]],
  ])('R-5.15 %s is refused with its place, and without its content', (_, value) => {
    expect(() => reconcilerVersion('1', { deep: { value } })).toThrow(
      /^settings\.deep\.value(\[0\])? cannot be a part/,
    );
  });
});
