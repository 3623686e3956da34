import type { StandInRealm } from './realm.ts';
import type { StandInRights } from './rights.ts';

export interface AdminRequest {
  readonly realm: StandInRealm;
  /** The rights of the account when its token was issued. */
  readonly rights: StandInRights;
  readonly method: string;
  /** The segments of the path after the realm's name. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly newId: () => string;
}
