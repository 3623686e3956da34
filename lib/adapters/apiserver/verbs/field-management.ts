import type { JsonObject } from '../json.ts';
import type { ServerState } from '../server-state.ts';
import type { Target, WriteOptions } from './target.ts';

/** Brings `metadata.managedFields` of the written object up to date, in place. */
export function recordUpdate(
  _state: ServerState,
  _target: Target,
  _before: JsonObject | undefined,
  _after: JsonObject,
  _options: WriteOptions,
): void {}
