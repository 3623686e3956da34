import { describe, expect, it } from 'vitest';
import { SelfAccessReviewer } from '../../../lib/adapters/kubernetes/self-access-reviewer.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { FakeTransport, failure, type Scripted, silence } from './fake-transport.ts';

const ACCESS = {
  verb: 'patch',
  group: 'apps',
  resource: 'deployments',
  subresource: 'status',
  namespace: 'shop',
  name: 'a',
};

function setUp(step: Scripted) {
  const transport = new FakeTransport(step);
  const clock = new ManualClock();
  return { transport, clock, allows: () => new SelfAccessReviewer(transport, clock).allows(ACCESS) };
}

describe('SelfAccessReviewer', () => {
  it('R-6.4 the reviewer asks the API server for permissions, and changes nothing', async () => {
    const { transport, allows } = setUp({ status: 201, body: { status: { allowed: true } } });
    expect(await allows()).toBe(true);
    expect(transport.requests[0]).toMatchObject({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    });
    expect(transport.sentJson()).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: ACCESS },
    });
    expect(await setUp({ status: 201, body: { status: { allowed: false } } }).allows()).toBe(false);
  });

  it.each([
    [{ status: 401, body: {} }, 'Unauthorized'],
    [{ status: 201, body: {} }, 'Malformed'],
    [{ status: 201, body: 'no JSON' }, 'Malformed'],
    [failure('ECONNREFUSED'), 'Unreachable'],
  ])('R-6.4 an answer that is not a review is an error: %#', async (step, reason) => {
    await expect(setUp(step).allows()).rejects.toMatchObject({ reason });
  });

  it('R-5.14 the reviewer does not wait for an API server without an answer', async () => {
    const { clock, allows } = setUp(silence);
    const outcome = expect(allows()).rejects.toMatchObject({ reason: 'Timeout' });
    await clock.advance(10_000);
    await outcome;
  });
});
