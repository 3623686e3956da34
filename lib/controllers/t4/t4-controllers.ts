import type { Controller } from '../../core/controller.ts';
import { clusterHostController } from './cluster-host/cluster-host-controller.ts';
import { sessionController } from './session/session-controller.ts';
import type { T4Settings } from './settings.ts';
import { workspaceController } from './workspace/workspace-controller.ts';

/**
 * The controllers of group t4: hosts, the workspaces on them, and the sessions on those.
 * @param digestKey the key of the deployment for comparing content, at least 16 bytes; a registry that runs no passes needs
 * none.
 */
export function t4Controllers(settings: T4Settings, digestKey: string | Uint8Array): Controller[] {
  return [clusterHostController(), workspaceController(), sessionController(settings, digestKey)];
}
