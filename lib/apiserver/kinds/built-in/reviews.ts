import { badRequest, invalid } from '../../api-error.ts';
import { invalidValue } from '../../field-issue.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../json.ts';
import { jsonReply, type Reply } from '../../reply.ts';
import type { ResourceRequest } from '../../state/resource-request.ts';
import type { ResourceType } from '../../state/resource-type.ts';
import { decodeObject } from '../../verbs/decode-body.ts';
import { builtIn } from './define.ts';

const authorization = 'authorization.k8s.io';

type Answer = (object: JsonObject, request: ResourceRequest) => JsonObject;

const answers: Readonly<Record<string, Answer>> = {
  SelfSubjectAccessReview(object, request) {
    const spec = objectAt(object, 'spec') ?? {};
    const attributes = objectAt(spec, 'resourceAttributes');
    if ((attributes === undefined) === (objectAt(spec, 'nonResourceAttributes') === undefined)) {
      const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
      throw invalid(authorization, 'SelfSubjectAccessReview', '', [
        invalidValue('spec.resourceAttributes', attributes ?? null, detail),
      ]);
    }
    const allowed = attributes === undefined || isAllowed(attributes, request);
    return { ...object, status: { allowed, ...(allowed ? { reason: 'nothing denies it' } : {}) } };
  },
  SelfSubjectRulesReview(object) {
    const namespace = stringAt(objectAt(object, 'spec'), 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];
    return { ...object, spec: {}, status: { resourceRules, nonResourceRules, incomplete: false } };
  },
  SelfSubjectReview(object) {
    const userInfo = { username: 'embedded', groups: ['system:masters', 'system:authenticated'] };
    return { ...object, status: { userInfo } };
  },
};

/**
 * Kinds that answer a question about permissions and are never stored. A holder of the token has every permission that
 * no test has denied.
 */
export const reviewTypes: readonly ResourceType[] = [
  review(authorization, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview'),
  review(authorization, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview'),
  review('authentication.k8s.io', 'selfsubjectreviews', 'SelfSubjectReview'),
];

/** Answers a request that creates one of the review types. */
export function answerReview(request: ResourceRequest): Reply {
  const { kind } = request.type;
  const answer = answers[kind];
  if (answer === undefined) throw new Error(`${kind} is not a review`);
  const object = decodeObject(request);
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return jsonReply(201, JSON.stringify(answer({ ...object, metadata }, request)));
}

function review(group: string, resource: string, kind: string): ResourceType {
  return { ...builtIn({ group, resource, kind, cluster: true, fields: ['spec', 'status'] }), answersOnly: true };
}

function isAllowed(attributes: JsonObject, { state, headers }: ResourceRequest): boolean {
  const text = (field: string): string => stringAt(attributes, field);
  return state.allows({
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
    userAgent: headers['user-agent'] ?? '',
  });
}
