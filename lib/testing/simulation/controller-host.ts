import type { Controller } from '../../core/controller.ts';
import type { Clock } from '../../ports/clock.ts';

/** The process that a controller runs in, for controllers that reach more than the cluster. */
export interface ControllerHost {
  /** A port as the process reaches it: each call is a point where it may crash, pause, fail or lose its answer. */
  reach<Port extends object>(port: Port, name: string): Port;
  /** Its clock. */
  readonly clock: Clock;
  /** Ends the process, as a pass that kills it does. */
  crash(): void;
}

export type Controllers = (host: ControllerHost) => readonly Controller[];
