import type { JsonObject } from '../json.ts';
import type { StoredObject } from '../state/stored-object.ts';

/** The answer to a write: the object in the version of the request, and its stored form if it was stored. */
export interface Written {
  readonly object: JsonObject;
  /** Absent for a dry run, and when the write removed the object. */
  readonly stored: StoredObject | undefined;
  readonly created: boolean;
}
