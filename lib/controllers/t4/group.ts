import { DIGEST_KEY } from '../digest-key.ts';
import type { ControllerGroup } from '../group.ts';
import { permissions } from './cluster-permissions.ts';
import { T4ClusterHosts, T4Sessions, T4Workspaces } from './kinds.ts';
import { type Section, section } from './settings-section.ts';
import { t4Controllers } from './t4-controllers.ts';

export const t4: ControllerGroup<Section> = {
  name: 't4',
  about: 'Runs T4 sessions in Pods, on the workspaces and hosts that they name.',
  pages: ['docs/controllers/t4.md'],
  kinds: [{ type: T4ClusterHosts }, { type: T4Workspaces }, { type: T4Sessions }],
  section,
  secrets: [{ ...DIGEST_KEY, isNeeded: () => true }],
  permissions,
  controllers: (settings, { secret }) => t4Controllers(settings, secret(DIGEST_KEY.name)),
};
