import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 50;

/** Asks again until the answer is truthy, and resolves with it. What bounds the wait is the test's own time limit. */
export async function until<T>(ask: () => Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const answer = await ask();
    if (answer) {
      return answer;
    }
    await delay(pollMs);
  }
}
