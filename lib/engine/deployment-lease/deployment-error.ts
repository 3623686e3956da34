import { EvenkeelError } from '../../core/errors.ts';
import type { LeaseRecord } from './lease-record.ts';

interface Place {
  readonly cluster: string;
  readonly group: string;
}

/** Another deployment drives this controller group in this cluster. */
export class DeploymentConflictError extends EvenkeelError {
  readonly holder: string;

  constructor({ cluster, group }: Place, { holder, acquiredAtMs, renewedAtMs }: LeaseRecord) {
    const since = time(acquiredAtMs);
    const renewed = time(renewedAtMs);
    super(
      'DEPLOYMENT_CONFLICT',
      `controller group ${group} of cluster ${cluster} is driven by deployment ${holder} since ${since} (last seen ${renewed}). Stop that deployment, or tell this one to take over.`,
      { data: { cluster, group, holder, since, renewed } },
    );
    this.holder = holder;
  }
}

/** This deployment has taken over, and a pass of the previous deployment may still run. */
export class DeploymentHandoverError extends EvenkeelError {
  /** Epoch ms on the clock of the waiting process. */
  readonly readyAtMs: number;

  constructor({ cluster, group }: Place, takenFrom: string, readyAtMs: number) {
    super(
      'DEPLOYMENT_HANDOVER',
      `controller group ${group} of cluster ${cluster} was taken over from deployment ${takenFrom}, whose last passes end by ${time(readyAtMs)}. Then passes begin.`,
      { data: { cluster, group, takenFrom, readyAtMs } },
    );
    this.readyAtMs = readyAtMs;
  }
}

function time(ms: number | undefined): string {
  return ms === undefined ? 'an unknown time' : new Date(ms).toISOString();
}
