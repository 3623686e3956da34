import type { JsonObject } from '../json.ts';
import type { StoredObject } from '../state/stored-object.ts';

/** What a write answers: the object in the version of the request, and its stored form when it was stored. */
export interface Written {
  readonly object: JsonObject;
  /** Absent for dry runs, and when the write let the object go. */
  readonly stored: StoredObject | undefined;
  readonly created: boolean;
}
