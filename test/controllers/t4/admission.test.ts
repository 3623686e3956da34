import { beforeAll, describe, expect, it } from 'vitest';
import { parseClusterHost } from '../../../lib/controllers/t4/cluster-host/cluster-host.ts';
import { parseSession } from '../../../lib/controllers/t4/session/session.ts';
import { parseWorkspace } from '../../../lib/controllers/t4/workspace/workspace.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { type AdmittingServer, describeT4Admission } from './admission.suite.ts';
import { ADMISSION_CASES } from './admission-cases.ts';
import { T4Fixture } from './t4-fixture.ts';

let admitting: AdmittingServer;

beforeAll(async () => {
  const { world } = await T4Fixture.embedded();
  admitting = {
    namespace: 'default',
    send: async ({ method, path, body }) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { 'content-type': contentType };
      const response = await world.server.send({ method, path, headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    },
  };
});

describeT4Admission('the embedded API server', () => admitting);

const PARSERS = { T4ClusterHost: parseClusterHost, T4Workspace: parseWorkspace, T4Session: parseSession };

function objectWith(spec: unknown): KubeObject {
  return { apiVersion: '', kind: '', metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, spec };
}

describe('what the controllers say of a specification', () => {
  it.each(ADMISSION_CASES)(
    'R-6.4 the controller judges $kind with $title as admission does',
    ({ kind, spec, fault }) => {
      const parsed = PARSERS[kind](objectWith(JSON.parse(JSON.stringify(spec))));
      expect(parsed.valid).toBe(fault === undefined);
      // For a rule over several fields, the controllers name the object and admission names one of the fields.
      const field = (/^spec[.\w]*/.exec(fault ?? '')?.[0] ?? '').replace(/\.commit$/, '');
      if (!parsed.valid) expect(parsed.message).toContain(field);
    },
  );

  it('R-6.4 R-1.24 the controller reports a value of a wrong type without the value', () => {
    const strange = { hostRef: { secret: 'hunter2' }, size: 'hunter2', storageClassName: 'Hunter2 hunter2' };
    for (const parse of Object.values(PARSERS)) {
      for (const spec of [undefined, null, 7, 'hunter2', ['hunter2'], strange]) {
        const parsed = parse(objectWith(spec));
        expect(parsed.valid).toBe(false);
        expect(JSON.stringify(parsed)).not.toContain('hunter2');
      }
    }
  });
});
