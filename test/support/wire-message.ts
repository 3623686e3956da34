import type { KindId } from '../../lib/core/resource-type.ts';

/** A message of the events or the resync queue, in the form of its body: flat, with the fields of its cause. */
export interface WireMessage {
  readonly v: 1;
  readonly cluster: string;
  readonly incarnation: number;
  readonly kind: KindId;
  readonly namespace: string;
  readonly name: string;
  /** '' for a poll and a round. */
  readonly uid: string;
  readonly cause: string;
  readonly at: number;
  readonly resourceVersion?: string;
  readonly changed?: WireSeen & { readonly kind: KindId; readonly namespace: string; readonly name: string };
  readonly unselected?: boolean;
  readonly dueAt?: number;
  readonly epoch?: number;
  readonly tick?: number;
  readonly group?: string;
  readonly round?: number;
  readonly bulk?: boolean;
  readonly place?: string;
  readonly seen?: WireSeen;
}

export interface WireSeen {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deleted?: boolean;
  readonly absentAt?: string;
}

export function wireMessage(body: string): WireMessage {
  return JSON.parse(body) as WireMessage;
}
