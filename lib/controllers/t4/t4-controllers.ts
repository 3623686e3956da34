import type { Controller } from '../../core/controller.ts';
import { clusterHostController } from './cluster-host/cluster-host-controller.ts';
import { sessionController } from './session/session-controller.ts';
import type { T4Settings } from './settings.ts';
import { workspaceController } from './workspace/workspace-controller.ts';

/** The controllers of group t4: hosts, the workspaces on them, and the sessions on those. */
export function t4Controllers(settings: T4Settings): Controller[] {
  return [clusterHostController(), workspaceController(), sessionController(settings)];
}
