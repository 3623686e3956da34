import { secretContractController } from '../../lib/controllers/secret-contract/secret-contract-controller.ts';
import type { Controller } from '../../lib/core/controller.ts';
import { EvenkeelError } from '../../lib/core/errors.ts';
import { Registry } from '../../lib/engine/registry.ts';
import type { ObjectSeries } from '../../lib/ports/object-series.ts';
import type { Settings } from '../settings/settings-schema.ts';

/**
 * The controllers that the settings install.
 * @param digestKey where mutation is allowed.
 * @throws EvenkeelError GROUP_NOT_INCLUDED
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
  if (settings.groups.t4 !== undefined) {
    throw new EvenkeelError(
      'GROUP_NOT_INCLUDED',
      'groups.t4: this release has no controllers of that group yet. Leave the section out.',
    );
  }
  return new Registry(controllers);
}
