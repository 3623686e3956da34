import { notServed } from '../api-error.ts';
import type { TextReply } from '../reply.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Server-side apply. */
export function apply(_request: ResourceRequest): TextReply {
  throw notServed('server-side apply yet');
}
