import type { PassOptions } from '../../engine/pass/pass.ts';
import type { RelayOptions } from '../../engine/relay/relay-options.ts';
import type { Controllers } from './controller-host.ts';
import type { PartSettings } from './draw-settings.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly controllers: Controllers;
  readonly pass?: Partial<PassOptions>;
  readonly relay?: Partial<RelayOptions>;
  readonly fewAreMany?: boolean | undefined;
  readonly settings: PartSettings;
  /** Keeps every step for a readable timeline. */
  readonly keepTrace?: boolean;
}
