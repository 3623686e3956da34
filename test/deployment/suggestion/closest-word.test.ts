import { describe, expect, it } from 'vitest';
import { closestWord, didYouMean } from '../../../lib/deployment/suggestion/closest-word.ts';

describe('closestWord', () => {
  it.each([
    ['exlpain', 'explain'],
    ['explian', 'explain'],
    ['re-queue', 'requeue'],
    ['lst', 'list'],
    ['START', 'start'],
    ['unistall', 'uninstall'],
    ['deploy', undefined],
    ['x', undefined],
    ['', undefined],
  ])('R-6.4 %s was meant to be %s', (word, expected) => {
    expect(closestWord(word, ['start', 'explain', 'list', 'requeue', 'uninstall'])).toBe(expected);
  });

  it('says nothing where nothing is near', () => {
    expect(didYouMean('zzz', ['start'])).toBe('');
    expect(didYouMean('stat', ['start'])).toBe(' Did you mean "start"?');
  });
});
