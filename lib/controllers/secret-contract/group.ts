import { DIGEST_KEY } from '../digest-key.ts';
import type { ControllerGroup } from '../group.ts';
import { permissions } from './cluster-permissions.ts';
import { SecretContractGrants, SecretContracts } from './kinds.ts';
import { secretContractController } from './secret-contract-controller.ts';
import { type Section, section } from './settings-section.ts';

export const secretContract: ControllerGroup<Section> = {
  name: 'secret-contract',
  about:
    'Reports whether Secrets satisfy their contracts, and rolls out workloads when the content of a Secret changes.',
  pages: ['docs/controllers/secret-contract.md'],
  isDefault: true,
  kinds: [{ type: SecretContracts }, { type: SecretContractGrants }],
  section,
  files: [
    {
      path: ['mutation', 'digestKeyFile'],
      inCloud: 'a cloud deployment makes its key in Secrets Manager. Remove it.',
    },
  ],
  secrets: [
    { ...DIGEST_KEY, file: ['mutation', 'digestKeyFile'], isNeeded: ({ mutation }: Section) => mutation.allow },
  ],
  permissions,
  controllers({ mutation }, { secret, series }) {
    const digestKey = secret(DIGEST_KEY.name);
    const allowMutation = mutation.allow && digestKey !== '';
    return [secretContractController({ allowMutation, digestKey, ...(series && { series }) })];
  },
};
