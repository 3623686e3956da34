import type { KubeObject } from '../../core/kube-object.ts';

/** Names who held the Lease before its holder, while a handover is due. */
export const TAKEN_FROM_ANNOTATION = 'evenkeel.dev/taken-from';

/** The Lease of a controller group. */
export function leaseNameOf(group: string): string {
  return `evenkeel-${group}`;
}

/** What a Lease says. Times are epoch ms by the holder's clock; undefined where a person left something unreadable. */
export interface LeaseRecord {
  /** '' when nobody holds it. */
  readonly holder: string;
  readonly acquiredAtMs: number | undefined;
  readonly renewedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly transitions: number;
  /** '' when it was free before. */
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
