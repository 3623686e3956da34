import { badRequest, type FieldIssue, invalid } from '../api-error.ts';
import { invalidValue, notSupported } from '../field-issue.ts';
import { isObject, type JsonObject, numberAt, objectAt, stringAt, stringsAt } from '../json.ts';
import { isTrue } from '../request-info.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import { contentType, parseBody } from './decode-body.ts';
import type { DeleteOptions, PropagationPolicy } from './delete-object.ts';

const policies = ['Foreground', 'Background', 'Orphan'];

/** Reads the DeleteOptions from the body or, without a body, from the query. */
export function deleteOptions({ body, headers, query }: ResourceRequest): DeleteOptions {
  const given = body === undefined || body === '' ? fromQuery(query) : fromBody(body, contentType(headers));
  const issues: FieldIssue[] = [];
  const policy = stringAt(given, 'propagationPolicy');
  const orphan = given.orphanDependents;
  if (policy !== '' && typeof orphan === 'boolean') {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    issues.push(invalidValue('propagationPolicy', policy, detail));
  }
  if (policy !== '' && !policies.includes(policy)) {
    issues.push(notSupported('propagationPolicy', policy, [...policies, 'nil']));
  }
  const dryRun = stringsAt(given, 'dryRun');
  if (dryRun.some((each) => each !== 'All')) issues.push(notSupported('dryRun', [...dryRun], ['All']));
  if (issues.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', issues);

  const preconditions = objectAt(given, 'preconditions');
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: numberAt(given, 'gracePeriodSeconds'),
    propagationPolicy: policy === '' ? fromOrphan(orphan) : (policy as PropagationPolicy),
    uid: stringAt(preconditions, 'uid') || undefined,
    resourceVersion: stringAt(preconditions, 'resourceVersion') || undefined,
  };
}

function fromBody(body: string, mediaType: string): JsonObject {
  const options = parseBody(body, mediaType);
  if (!isObject(options)) throw badRequest('decoded object cannot be converted to DeleteOptions');
  const kind = stringAt(options, 'kind');
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for the options of a deletion; use DeleteOptions`);
  }
  return options;
}

function fromQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null) {
    if (!/^-?\d+$/.test(grace)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    options.gracePeriodSeconds = Number(grace);
  }
  const policy = query.get('propagationPolicy');
  if (policy !== null) options.propagationPolicy = policy;
  if (query.has('orphanDependents')) options.orphanDependents = isTrue(query.get('orphanDependents'));
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  return options;
}

function fromOrphan(orphan: unknown): PropagationPolicy | undefined {
  if (typeof orphan !== 'boolean') return undefined;
  return orphan ? 'Orphan' : 'Background';
}
