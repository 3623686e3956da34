import type { PhaseCost } from './fleet-costs.ts';
import type { FleetDay, FleetDayOptions } from './fleet-day.ts';

/** A simulated day as a file, and what it took. */
export interface RecordedDay {
  readonly options: Omit<FleetDayOptions, 'onPhase'>;
  readonly day: FleetDay;
  readonly costs: readonly PhaseCost[];
  readonly cpuSeconds: number;
  /** Resident memory at the end. */
  readonly rssMb: number;
}
