import type { Controller } from '../../core/controller.ts';
import { gatewayController } from './gateway/gateway-controller.ts';
import type { GatewaySettings } from './gateway/gateway-settings.ts';
import { managedDatabaseController } from './managed-database/managed-database-controller.ts';
import { namespaceGcController } from './namespace-gc/namespace-gc-controller.ts';

export type ControlPlaneSettings = GatewaySettings;

/** The controllers of the group `control-plane`. */
export function controlPlaneControllers(settings: ControlPlaneSettings): Controller[] {
  return [gatewayController(settings), managedDatabaseController(settings), namespaceGcController()];
}
