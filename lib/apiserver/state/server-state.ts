import type { Denial } from '../faults/fault-plan.ts';
import type { Admission } from './admission.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import type { Kinds } from './kinds.ts';
import type { Store } from './store.ts';

/** The state that all handlers and controllers of the server share. */
export interface ServerState {
  readonly store: Store;
  readonly kinds: Kinds;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly newUid: () => string;
  /** A number in [0, 1), for generated names. */
  readonly random: () => number;
  readonly tokens: IssuedTokens;
  /** Whether a request would be authorized. */
  readonly allows: (request: Denial) => boolean;
  /** The admissions that change or refuse objects of creates and updates. */
  readonly admissions: Set<Admission>;
}

/** A time in the form of the API: RFC 3339 in UTC, in whole seconds. */
export function apiTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
