import { expect, it } from 'vitest';
import { countRequests } from '../../../bench/request-counts.ts';

it('R-5.11 what each outcome costs in requests to the table, the queue and Kubernetes', async () => {
  const none = {
    tableWrites: 0,
    refusedWrites: 0,
    indexWrites: 0,
    tableReads: 0,
    queueRequests: 0,
    kubernetesReads: 0,
    kubernetesWrites: 0,
  };
  expect(await countRequests()).toEqual({
    // One edge, the acquire, and the commit, which sets the first resync timer.
    'first pass': { ...none, tableWrites: 3, indexWrites: 1, kubernetesReads: 2, kubernetesWrites: 1 },
    'no-op pass': { ...none, tableWrites: 2, kubernetesReads: 2 },
    'covered event': { ...none, tableWrites: 1, refusedWrites: 1 },
    // The status, and an Event for each of the two conditions that changed.
    'dependency change': { ...none, tableWrites: 2, kubernetesReads: 2, kubernetesWrites: 3 },
    // The backoff moves the timer and sends a delayed message.
    retry: { ...none, tableWrites: 2, indexWrites: 1, queueRequests: 1, kubernetesReads: 2 },
  });
});
