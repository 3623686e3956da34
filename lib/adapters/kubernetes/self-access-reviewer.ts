import type { ResourceType } from '../../core/resource-type.ts';
import type { Access, AccessReviewer } from '../../ports/access-review.ts';
import type { Clock } from '../../ports/clock.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import { CallDeadline } from '../http/call-deadline.ts';
import { MAX_ERROR_BYTES, readBody } from '../http/read-body.ts';
import { answerError, malformed } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { callFailure } from './call-failure.ts';
import { isRecord, parseJson } from './status-body.ts';
import type { Transport } from './transport.ts';

const SelfSubjectAccessReviews: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
};

const CALL: ApiCall = { verb: 'POST', type: SelfSubjectAccessReviews, namespace: '', name: '' };
const TIMEOUT_MS = 10_000;

/** Asks with SelfSubjectAccessReviews, which every authenticated user may create. */
export class SelfAccessReviewer implements AccessReviewer {
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async allows({ verb, group, resource, subresource, namespace, name }: Access): Promise<boolean> {
    const resourceAttributes = { verb, group, resource, subresource, namespace, name };
    const { group: apiGroup, version, kind, plural } = SelfSubjectAccessReviews;
    const deadline = new CallDeadline(this.#clock, TIMEOUT_MS, undefined);
    try {
      const response = await this.#transport.send({
        method: 'POST',
        path: `/apis/${apiGroup}/${version}/${plural}`,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: `${apiGroup}/${version}`, kind, spec: { resourceAttributes } }),
        signal: deadline.signal,
      });
      const { text } = await readBody(response.chunks(), MAX_ERROR_BYTES);
      const { status, headers } = response;
      if (status < 200 || status >= 300) throw answerError(CALL, { status, headers, text }, this.#clock.now());
      const body = parseJson(text);
      const verdict = isRecord(body) && isRecord(body.status) ? body.status.allowed : undefined;
      if (typeof verdict !== 'boolean') throw malformed(CALL, status, 'the answer is no review');
      return verdict;
    } catch (error) {
      throw error instanceof ApiError ? error : callFailure(CALL, error, deadline);
    } finally {
      deadline.end();
    }
  }
}
