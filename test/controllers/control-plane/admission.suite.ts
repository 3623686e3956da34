import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import { apiVersion } from '../../../lib/core/resource-type.ts';
import { ADMISSION_CASES, type AdmissionCase, EDIT_CASES, HOST_CASES } from './admission-cases.ts';

const TYPES = { Gateway: Gateways, ManagedDatabase: ManagedDatabases };

/** A server that has the CRDs, and a namespace for the test's objects. */
export interface AdmittingServer {
  readonly namespace: string;
  send(request: { method: 'POST' | 'PATCH'; path: string; body: object }): Promise<{ status: number; text: string }>;
}

/** What an API server admits. Every API server must give the same verdicts. */
export function describeControlPlaneAdmission(name: string, server: () => AdmittingServer): void {
  const collectionOf = (kind: AdmissionCase['kind']) => {
    const { plural } = TYPES[kind];
    return `/apis/${apiVersion(TYPES[kind])}/namespaces/${server().namespace}/${plural}`;
  };
  const create = async (kind: AdmissionCase['kind'], spec: object) => {
    const body = { apiVersion: apiVersion(TYPES[kind]), kind, metadata: { generateName: 'case-' }, spec };
    return await server().send({ method: 'POST', path: collectionOf(kind), body });
  };
  const expectVerdict = ({ status, text }: { status: number; text: string }, fault: string | undefined) => {
    expect(status < 300, text).toBe(fault === undefined);
    if (fault !== undefined) expect((JSON.parse(text) as { message: string }).message).toContain(fault);
  };

  describe(`admission of ${name}`, () => {
    it.each([...ADMISSION_CASES, ...HOST_CASES])(
      'R-6.4 R-3.1 R-3.4 R-3.8 admission judges a $kind correctly when it has $title',
      async ({ kind, spec, fault }) => {
        expectVerdict(await create(kind, spec), fault);
      },
    );

    it.each(EDIT_CASES)(
      'R-6.4 R-3.1 R-3.4 admission judges an edit of a $kind correctly: $title',
      async ({ kind, before, spec, fault }) => {
        const created = await create(kind, before);
        expect(created.status, created.text).toBe(201);
        const { metadata } = JSON.parse(created.text) as { metadata: { name: string } };
        const path = `${collectionOf(kind)}/${metadata.name}`;
        expectVerdict(await server().send({ method: 'PATCH', path, body: { spec } }), fault);
      },
    );
  });
}
