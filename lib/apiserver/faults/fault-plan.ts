import { ApiError, forbidden } from '../api-error.ts';
import type { Fault, FaultedRequest, FaultInjection, InjectedFault } from './fault.ts';

/** The requests that are denied. A missing field means all values. */
export interface Denial {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userAgent?: string;
}

interface Running {
  readonly injection: FaultInjection;
  hits: number;
}

/** The faults and denials that tests have injected. */
export class FaultPlan {
  readonly #running = new Set<Running>();
  readonly #denials = new Set<Denial>();

  inject(injection: FaultInjection): InjectedFault {
    const running: Running = { injection, hits: 0 };
    this.#running.add(running);
    return {
      get hits() {
        return running.hits;
      },
      remove: () => this.#running.delete(running),
    };
  }

  /** Denies the requests, as without a permission, until the returned function is called. */
  deny(denial: Denial): () => void {
    const own = { ...denial };
    this.#denials.add(own);
    return () => this.#denials.delete(own);
  }

  /** Returns the fault for the request and counts one use. When several faults match, it returns the oldest one. */
  take(request: FaultedRequest): Fault | undefined {
    for (const running of this.#running) {
      const { match, fault, times } = running.injection;
      const matched = typeof match === 'function' ? match(request) : agrees(match, request);
      if (!matched) continue;
      running.hits += 1;
      if (times !== undefined && running.hits >= times) this.#running.delete(running);
      return fault;
    }
    return undefined;
  }

  /** Whether no denial matches a request. */
  allows(request: Denial): boolean {
    return ![...this.#denials].some((denial) => agrees(denial, request));
  }

  /** Throws the ApiError of a denied request. */
  authorize(request: FaultedRequest): void {
    if (request.resource === '') return;
    for (const denial of this.#denials) {
      if (agrees(denial, request)) throw denied(request);
    }
  }
}

function agrees(sample: Partial<FaultedRequest>, request: Partial<FaultedRequest>): boolean {
  const wanted = Object.entries(sample) as [keyof FaultedRequest, unknown][];
  return wanted.every(([field, value]) => value === undefined || request[field] === value);
}

/** The error has the text of the real server's authorizer. */
function denied({ verb, group, resource, subresource, namespace, name }: FaultedRequest): ApiError {
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const why = `User "embedded" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  return forbidden({ group, resource }, name, why);
}

/** The error that a fault with a status code returns. */
export function faultError(fault: Extract<Fault, { status: number }>): ApiError {
  const usual = usualErrors[fault.status];
  return new ApiError(
    fault.status,
    fault.reason ?? usual?.reason ?? (fault.status >= 500 ? 'InternalError' : 'Unknown'),
    fault.message ?? usual?.message ?? `injected fault with status ${fault.status}`,
    {
      ...(fault.retryAfterSeconds !== undefined && { retryAfterSeconds: fault.retryAfterSeconds }),
      ...(fault.causes !== undefined && { causes: fault.causes }),
    },
  );
}

const usualErrors: Readonly<Record<number, { readonly reason: string; readonly message: string }>> = {
  401: { reason: 'Unauthorized', message: 'Unauthorized' },
  403: { reason: 'Forbidden', message: 'forbidden' },
  409: { reason: 'Conflict', message: 'the server reported a conflict' },
  410: { reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
  429: { reason: 'TooManyRequests', message: 'The server is currently unable to handle the request.' },
  500: { reason: 'InternalError', message: 'Internal error occurred: injected fault' },
  503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  504: { reason: 'Timeout', message: 'Timeout: request did not complete within the allotted timeout' },
};
