import type { Controller } from '../../core/controller.ts';
import type { Clock } from '../../ports/clock.ts';

/** The process of a controller, for controllers that call more than the cluster. */
export interface ControllerHost {
  /**
   * Wraps a port for this process: at each call the process may crash or pause, and the call may fail or lose its
   * answer.
   */
  reach<Port extends object>(port: Port, name: string): Port;
  /** The clock of the process. */
  readonly clock: Clock;
  /** Ends the process, like a pass that kills it. */
  crash(): void;
}

export type Controllers = (host: ControllerHost) => readonly Controller[];
