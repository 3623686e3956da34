import type { StandInRealm } from './realm.ts';
import type { StandInRights } from './rights.ts';

export interface AdminRequest {
  readonly realm: StandInRealm;
  /** Of the account that asks, as its token knows them. */
  readonly rights: StandInRights;
  readonly method: string;
  /** Of the path, after the realm's name. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly newId: () => string;
}
