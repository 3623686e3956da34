import { controlPlaneControllers } from '../../controllers/control-plane/control-plane-controllers.ts';
import { secretContractController } from '../../controllers/secret-contract/secret-contract-controller.ts';
import { t4Controllers } from '../../controllers/t4/t4-controllers.ts';
import type { Controller } from '../../core/controller.ts';
import { Registry } from '../../engine/registry.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { ObjectSeries } from '../../ports/object-series.ts';
import type { Settings } from '../settings/settings-schema.ts';
import { gatewayPermissions } from './gateway-permissions.ts';
import { newPassword } from './new-password.ts';

/**
 * The controllers that the settings install.
 * @param digestKey where content is compared: mutation is allowed, or t4 is installed; only passes need it.
 * @param identity where clients are made; only passes need it.
 * @param own the controllers of other authors that run together with ours.
 */
export function installedRegistry(
  settings: Settings,
  {
    digestKey = '',
    series,
    identity,
    own = [],
  }: { digestKey?: string; series?: ObjectSeries; identity?: IdentityProvider; own?: readonly Controller[] } = {},
): Registry {
  const controllers: Controller[] = [];
  const secretContract = settings.groups['secret-contract'];
  if (secretContract !== undefined) {
    const allowMutation = secretContract.mutation.allow && digestKey !== '';
    controllers.push(secretContractController({ allowMutation, digestKey, ...(series && { series }) }));
  }
  const controlPlane = settings.groups['control-plane'];
  if (controlPlane !== undefined) {
    const { parentGateway, identity: identityAccount } = controlPlane;
    const identityCheckMs = identityAccount?.check;
    controllers.push(
      ...controlPlaneControllers({
        ...gatewayPermissions(controlPlane),
        identity,
        identityAccount,
        parentGateway,
        newPassword,
        // As unguessable as a password is.
        newSeed: newPassword,
        ...(identityCheckMs !== undefined && { identityCheckMs }),
      }),
    );
  }
  if (settings.groups.t4 !== undefined) controllers.push(...t4Controllers(settings.groups.t4, digestKey));
  return new Registry([...controllers, ...own]);
}
