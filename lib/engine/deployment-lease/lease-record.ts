import type { KubeObject } from '../../core/kube-object.ts';

/** Names the deployment that had the Lease before its holder, until the handover has ended. */
export const TAKEN_FROM_ANNOTATION = 'evenkeel.dev/taken-from';

/** The Lease of a controller group. */
export function leaseNameOf(group: string): string {
  return `evenkeel-${group}`;
}

/**
 * The content of a Lease. Times are epoch ms on the holder's clock; undefined when a person wrote something unreadable.
 */
export interface LeaseRecord {
  /** Empty when there is no holder. */
  readonly holder: string;
  readonly acquiredAtMs: number | undefined;
  readonly renewedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly transitions: number;
  /** Empty when it was free before. */
  readonly takenFrom: string;
}

export function readLease({ metadata, spec }: KubeObject): LeaseRecord {
  const fields = typeof spec === 'object' && spec !== null ? (spec as Record<string, unknown>) : {};
  const { holderIdentity, acquireTime, renewTime, leaseDurationSeconds, leaseTransitions } = fields;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    acquiredAtMs: timeOf(acquireTime),
    renewedAtMs: timeOf(renewTime),
    durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1_000 : undefined,
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    takenFrom: metadata.annotations?.[TAKEN_FROM_ANNOTATION] ?? '',
  };
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
