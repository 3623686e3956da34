import type { TextReply } from '../reply.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import { createObject } from './create-object.ts';
import { decodeObject } from './decode-body.ts';
import { objectReply } from './render.ts';
import { writeOptions } from './write-options.ts';

export function create(request: ResourceRequest): TextReply {
  const options = writeOptions(request, 'CreateOptions');
  const { object, stored } = createObject(request.state, targetOf(request), decodeObject(request), options);
  return objectReply(request, 201, object, stored);
}
