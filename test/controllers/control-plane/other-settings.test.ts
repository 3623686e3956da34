import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlPlaneSettings,
  controlPlaneControllers,
} from '../../../lib/controllers/control-plane/control-plane-controllers.ts';
import { Gateways, GrpcRoutes } from '../../../lib/controllers/control-plane/kinds.ts';
import { GATEWAY_NAME, gatewayNamespace } from '../../../lib/controllers/control-plane/names.ts';
import { kindId } from '../../../lib/core/resource-type.ts';
import { passesByResync } from '../../support/passes-by-resync.ts';
import {
  type ControlPlaneWorld,
  controlPlaneWorld,
  createGateway,
  runningGateway,
  settle,
} from './control-plane-world.ts';

const ACCOUNT = { server: 'http://identity.test', realm: 'master', clientId: 'evenkeel' };
const PARENT = { namespace: 'edge', name: 'public' };
const SETTINGS = {
  parentGateway: PARENT,
  identityAccount: ACCOUNT,
  identityCheckMs: 900_000,
  realms: [{ namespaces: ['*'], realms: ['shop'], redirectHosts: ['*.example.org'] }],
  routes: [{ namespaces: ['*'], hosts: ['*.example.org'] }],
};
const GATEWAYS = ['edge', 'second'].map((name) => `${kindId(Gateways)} ${name}`);

describe('gateways after a deployment of other settings', () => {
  let control: ControlPlaneWorld;
  beforeEach(async () => {
    control = await controlPlaneWorld({ settings: SETTINGS });
    await runningGateway(control);
    await createGateway(control, { route: { host: 'second.example.org' } }, 'second');
    await settle(control);
  });

  /** The controllers of a process with these settings, which runs passes or not. */
  const deployed = (settings: Partial<ControlPlaneSettings>, runsPasses = true) =>
    controlPlaneControllers({
      identity: runsPasses ? control.provider : undefined,
      newPassword: () => 'password',
      newSeed: () => 'seed',
      ...settings,
    });

  it.each<[string, Partial<ControlPlaneSettings>]>([
    ['another parent Gateway', { ...SETTINGS, parentGateway: { ...PARENT, name: 'private' } }],
    ['a listener of it', { ...SETTINGS, parentGateway: { ...PARENT, sectionName: 'https' } }],
    ['no parent Gateway', { ...SETTINGS, parentGateway: undefined }],
    ['another identity server', { ...SETTINGS, identityAccount: { ...ACCOUNT, server: 'https://id.example.org' } }],
    ['another realm', { ...SETTINGS, identityAccount: { ...ACCOUNT, realm: 'operators' } }],
    ['another account', { ...SETTINGS, identityAccount: { ...ACCOUNT, clientId: 'keel' } }],
    ['no identity server', { ...SETTINGS, identityAccount: undefined }],
    ['other realms for other namespaces', { ...SETTINGS, realms: [] }],
    ['other hosts for other namespaces', { ...SETTINGS, routes: [{ namespaces: ['a'], hosts: ['a.example.org'] }] }],
    ['another time between looks at clients', { ...SETTINGS, identityCheckMs: 60_000 }],
  ])(
    'R-5.15 %s reaches every Gateway at the next resync, and objects that depend on no settings get no pass',
    async (_, changed) => {
      expect(await passesByResync(control.world, deployed(changed))).toEqual(GATEWAYS);
      // Targets that read Gateways, such as Gateways, may get a pass for the new status, because no relay runs here.
      await passesByResync(control.world, deployed(changed));
      expect(await passesByResync(control.world, deployed(changed))).not.toEqual(expect.arrayContaining(GATEWAYS));
    },
  );

  it('R-5.15 equal settings start no pass, also with another secret of the account, and when resync starts none', async () => {
    const reordered = {
      realms: SETTINGS.realms,
      routes: SETTINGS.routes,
      identityCheckMs: SETTINGS.identityCheckMs,
      identityAccount: { clientSecretFile: '/rotated', clientId: 'evenkeel', realm: 'master', server: ACCOUNT.server },
      parentGateway: { sectionName: undefined, name: 'public', namespace: 'edge' },
    };
    expect(await passesByResync(control.world, deployed(reordered))).toEqual([]);
    expect(await passesByResync(control.world, deployed(reordered, false))).toEqual([]);
  });

  it('R-5.15 R-3.1 routes get the new parent Gateway when the settings change it', async () => {
    await passesByResync(control.world, deployed({ ...SETTINGS, parentGateway: { ...PARENT, name: 'private' } }));
    for (const { metadata } of (await control.user.list(Gateways)).items) {
      const route = await control.user.get(GrpcRoutes, {
        namespace: gatewayNamespace(metadata.uid),
        name: GATEWAY_NAME,
      });
      expect(route.spec).toMatchObject({ parentRefs: [{ namespace: 'edge', name: 'private' }] });
    }
  });
});
