import type { JsonObject } from '../json.ts';
import { applyMergePatch } from './merge-patch.ts';

export function applyStrategicMergePatch(target: JsonObject, patch: JsonObject, _kind: string): JsonObject {
  return applyMergePatch(target, patch);
}
