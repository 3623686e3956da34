import type { DesiredObject, ObjectName } from '../../core/kube-object.ts';
import type { ResourceType } from '../../core/resource-type.ts';
import type { ClusterAdministration, IssuedToken } from '../../ports/cluster-administration.ts';
import { type Answer, malformed } from './answer-error.ts';
import type { ApiCall } from './api-call.ts';
import { ApiSender, type ApiSenderOptions, JSON_TYPE } from './api-sender.ts';
import { objectPath } from './resource-path.ts';
import { isRecord, parseJson } from './status-body.ts';

const ServiceAccounts: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

const FIELD_MANAGER = 'evenkeel-install';

/** The requests of `evenkeel cluster add` to a cluster, in addition to reads and writes of objects. */
export class ClusterAdministrator implements ClusterAdministration {
  readonly #sender: ApiSender;

  constructor(options: ApiSenderOptions) {
    this.#sender = new ApiSender(options);
  }

  async tryApply(type: ResourceType, object: DesiredObject): Promise<void> {
    const { namespace = '', name } = object.metadata;
    const call: ApiCall = { verb: 'PATCH', type, namespace, name };
    const draft = {
      method: 'PATCH',
      path: objectPath(call, { fieldManager: FIELD_MANAGER, force: true, dryRun: 'All' }),
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify(object),
      repeatable: true,
    } as const;
    await this.#sender.answer(call, draft, undefined, () => undefined);
  }

  async issueToken(account: ObjectName, lifetimeSeconds: number): Promise<IssuedToken> {
    const call: ApiCall = { verb: 'POST', type: ServiceAccounts, ...account };
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
    const draft = {
      method: 'POST',
      path: `${objectPath(call)}/token`,
      contentType: JSON_TYPE,
      body: JSON.stringify({ ...request, spec: { expirationSeconds: lifetimeSeconds } }),
      // A second token does no harm: nobody gets it, and it expires.
      repeatable: true,
    } as const;
    return await this.#sender.answer(call, draft, undefined, (answer) => readToken(call, answer));
  }
}

/** An error never contains the answer, because the answer may contain the token. */
function readToken(call: ApiCall, { status, text }: Answer): IssuedToken {
  const body = parseJson(text);
  const given = isRecord(body) && isRecord(body.status) ? body.status : {};
  const { token, expirationTimestamp } = given;
  const expiresAtMs = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAtMs)) {
    throw malformed(call, status, 'the answer is no TokenRequest with a token');
  }
  return { token, expiresAtMs };
}
