import { describe, expect, it } from 'vitest';
import { CoalescingDeleter } from '../../../lib/engine/batch/coalescing-deleter.ts';

function slowQueue() {
  const requests: string[][] = [];
  const answers: ((kept: string[] | Error) => void)[] = [];
  const queue = {
    delete: (handles: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        requests.push([...handles]);
        answers.push((kept) => (kept instanceof Error ? reject(kept) : resolve(kept)));
      }),
  };
  return { deleter: new CoalescingDeleter(queue), requests, answers };
}

describe('CoalescingDeleter', () => {
  it('the deleter deletes the first message at once, and those that finish during the request in one further request', async () => {
    const { deleter, requests, answers } = slowQueue();
    const first = deleter.delete(['a']);
    const later = [deleter.delete(['b', 'c']), deleter.delete(['d'])];
    expect(requests).toEqual([['a']]);
    answers[0]?.([]);
    expect(await first).toEqual([]);
    await Promise.resolve();
    expect(requests).toEqual([['a'], ['b', 'c', 'd']]);
    answers[1]?.(['c']);
    expect(await Promise.all(later)).toEqual([['c'], []]);
  });

  it('the deleter reports a failed request to each caller, and continues', async () => {
    const { deleter, requests, answers } = slowQueue();
    const failed = deleter.delete(['a']);
    const next = deleter.delete(['b']);
    answers[0]?.(new Error('not answered'));
    await expect(failed).rejects.toThrow('not answered');
    await Promise.resolve();
    answers[1]?.([]);
    expect(await next).toEqual([]);
    expect(requests).toEqual([['a'], ['b']]);
  });
});
