import { conflict } from '../api-error.ts';
import { objectAt, stringAt } from '../json.ts';
import type { TextReply } from '../reply.ts';
import { type ResourceRequest, targetOf } from '../state/resource-request.ts';
import { decodeObject } from './decode-body.ts';
import { objectReply } from './render.ts';
import { updateObject } from './update-object.ts';
import { writeOptions } from './write-options.ts';

/** Replaces an object. A UID in the body is a precondition. */
export function update(request: ResourceRequest): TextReply {
  const options = writeOptions(request, 'UpdateOptions');
  const body = decodeObject(request);
  const { type, info } = request;
  const produce: Parameters<typeof updateObject>[2] = (present) => {
    const wanted = stringAt(objectAt(body, 'metadata'), 'uid');
    const found = stringAt(objectAt(present, 'metadata'), 'uid');
    if (wanted !== '' && wanted !== found) {
      const key = `/registry/${type.group}/${type.resource}/${info.namespace === '' ? '' : `${info.namespace}/`}${info.name}`;
      const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
      throw conflict(type, info.name, why);
    }
    return body;
  };
  const { object, stored } = updateObject(request.state, targetOf(request), produce, options);
  return objectReply(request, 200, object, stored);
}
