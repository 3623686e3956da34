import { beforeAll, expect, it } from 'vitest';
import { parseGateway } from '../../../lib/controllers/control-plane/gateway/gateway-spec.ts';
import { parseDatabase } from '../../../lib/controllers/control-plane/managed-database/database-spec.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import { type AdmittingServer, describeControlPlaneAdmission } from './admission.suite.ts';
import { ADMISSION_CASES } from './admission-cases.ts';
import { controlPlaneWorld } from './control-plane-world.ts';

let admitting: AdmittingServer;

beforeAll(async () => {
  const { world, namespace } = await controlPlaneWorld();
  admitting = {
    namespace,
    send: async ({ method, path, body }) => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { 'content-type': contentType };
      const response = await world.server.send({ method, path, headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    },
  };
});

describeControlPlaneAdmission('the embedded API server', () => admitting);

const PARSERS = { Gateway: parseGateway, ManagedDatabase: parseDatabase };

it.each(ADMISSION_CASES)(
  'R-6.4 the controller judges a $kind with $title as admission does',
  ({ kind, spec, fault }) => {
    const object = {
      apiVersion: '',
      kind,
      metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
      spec,
    } as KubeObject;
    const parsed = PARSERS[kind](object);
    expect(parsed.valid).toBe(fault === undefined);
  },
);
