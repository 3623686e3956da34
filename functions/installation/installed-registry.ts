import { secretContractController } from '../../lib/controllers/secret-contract/secret-contract-controller.ts';
import { t4Controllers } from '../../lib/controllers/t4/t4-controllers.ts';
import type { Controller } from '../../lib/core/controller.ts';
import { Registry } from '../../lib/engine/registry.ts';
import type { ObjectSeries } from '../../lib/ports/object-series.ts';
import type { Settings } from '../settings/settings-schema.ts';

/**
 * The controllers that the settings install.
 * @param digestKey where mutation is allowed.
 */
export function installedRegistry(
  settings: Settings,
  { digestKey = '', series }: { digestKey?: string; series?: ObjectSeries } = {},
): Registry {
  const controllers: Controller[] = [];
  const secretContract = settings.groups['secret-contract'];
  if (secretContract !== undefined) {
    const allowMutation = secretContract.mutation.allow && digestKey !== '';
    controllers.push(secretContractController({ allowMutation, digestKey, ...(series && { series }) }));
  }
  if (settings.groups.t4 !== undefined) controllers.push(...t4Controllers(settings.groups.t4));
  return new Registry(controllers);
}
