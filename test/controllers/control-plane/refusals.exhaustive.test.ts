import { describe, expect, it } from 'vitest';
import { Gateways, ManagedDatabases } from '../../../lib/controllers/control-plane/kinds.ts';
import type { KubeObject } from '../../../lib/core/kube-object.ts';
import {
  conditionOf,
  controlPlaneWorld,
  createDatabase,
  createGateway,
  passOf,
  runningGateway,
  settle,
  shown,
} from './control-plane-world.ts';

/** An API server's errors, by the part that refuses. Each contains a text that no condition may contain. */
const REFUSALS: readonly [string, number, string, string, string][] = [
  [
    'a quota',
    403,
    'exceeded quota: small, requested: count/services=1, s3cret',
    'False QuotaExceeded',
    'ResourceQuota',
  ],
  ['a limit range', 403, 'maximum cpu usage per Container is s3cret', 'False AdmissionDenied', 'LimitRange'],
  ['an unknown plugin', 403, 's3cret', 'False AdmissionDenied', 'an admission policy'],
  ['PodSecurity', 403, 'violates PodSecurity "restricted:latest": s3cret', 'False AdmissionDenied', 'PodSecurity'],
  [
    'a policy',
    422,
    "ValidatingAdmissionPolicy 'no-x' with binding 'b' denied request: s3cret",
    'False AdmissionDenied',
    'no-x',
  ],
  [
    'the end of the namespace',
    403,
    'unable to create new content in namespace hs-1 because it is being terminated',
    'False NamespaceTerminating',
    'is being deleted',
  ],
  ['RBAC', 403, 'User "s3cret" cannot create resource', 'Unknown AccessDenied', 'RBAC'],
];
const CASES = ['services', 'deployments', 'namespaces'].flatMap((resource) =>
  REFUSALS.map(([by, ...rest]) => ({ resource, by, rest })),
);

function expectNothingQuoted(object: KubeObject, lines: unknown): void {
  expect(JSON.stringify([object.status, lines])).not.toContain('s3cret');
}

describe('a refused write of the control plane', () => {
  it.each(CASES)(
    'R-3.11 a Gateway reports what refused the request when $by refuses its $resource',
    async ({ resource, rest: [status, text, told, named] }) => {
      const control = await controlPlaneWorld();
      await createDatabase(control);
      await settle(control);
      const message = `${resource} "gateway" is forbidden: ${text}`;
      const fault = control.world.server.inject({ match: { verb: 'create', resource }, fault: { status, message } });
      const gateway = await createGateway(control);
      await settle(control);
      // Targets over the rate limit may have passes again.
      await control.world.clock.advance(60_000);
      expect((await passOf(control, Gateways, gateway)).outcome).toBe('retry');
      const refused = await control.world.read(Gateways, gateway);
      expect(shown(refused).ResourcesApplied).toBe(told);
      expect(conditionOf(refused, 'ResourcesApplied')?.message).toContain(named);
      expectNothingQuoted(refused, control.world.logger.lines);
      fault.remove();
      await settle(control);
      expect(shown(await control.world.read(Gateways, gateway)).Ready).toBe('True AllSatisfied');
    },
  );

  it.each(REFUSALS)(
    'R-3.11 a ManagedDatabase reports what refused the request when %s refuses its Cluster',
    async (...row) => {
      const [, status, text, told, named] = row;
      const control = await controlPlaneWorld();
      const message = `clusters.postgresql.cnpg.io "database" is forbidden: ${text}`;
      control.world.server.inject({ match: { verb: 'create', resource: 'clusters' }, fault: { status, message } });
      const database = await createDatabase(control);
      await settle(control);
      const refused = await control.world.read(ManagedDatabases, database);
      expect(shown(refused).Provisioned).toBe(told);
      expect(conditionOf(refused, 'Provisioned')?.message).toContain(named);
      expectNothingQuoted(refused, control.world.logger.lines);
    },
  );

  it.each(REFUSALS)('R-3.11 a deletion reports what refused the request when %s refuses it', async (...row) => {
    const [, status, text, told, named] = row;
    const control = await controlPlaneWorld();
    const { gateway } = await runningGateway(control);
    const message = `services "gateway" is forbidden: ${text}`;
    control.world.server.inject({ match: { verb: 'delete', resource: 'services' }, fault: { status, message } });
    await control.world.remove(Gateways, gateway);
    await settle(control);
    const held = conditionOf(await control.world.read(Gateways, gateway), 'CleanupPending');
    expect(held?.reason).toBe(told.split(' ')[1]);
    expect(held?.message).toContain(named);
    expect(held?.message).not.toContain('s3cret');
  });

  it('R-3.11 a Gateway names the field, and not its value, when validation refuses an object', async () => {
    const control = await controlPlaneWorld();
    await createDatabase(control);
    await settle(control);
    const causes = [
      { reason: 'FieldValueInvalid', message: 'Invalid value: "s3cret"', field: 'spec.ports[0].appProtocol' },
    ];
    const message = 'Service "gateway" is invalid: spec.ports[0].appProtocol: Invalid value: "s3cret"';
    control.world.server.inject({
      match: { verb: 'create', resource: 'services' },
      fault: { status: 422, message, causes },
    });
    const gateway = await createGateway(control);
    await settle(control);
    const refused = await control.world.read(Gateways, gateway);
    expect(shown(refused).ResourcesApplied).toBe('False ValidationFailed');
    expect(conditionOf(refused, 'ResourcesApplied')?.message).toContain(
      'spec.ports[0].appProtocol (FieldValueInvalid)',
    );
    expectNothingQuoted(refused, control.world.logger.lines);
  });
});
