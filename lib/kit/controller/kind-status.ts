import type { z } from 'zod';
import { type ConditionInput, PROGRESS_CONDITIONS } from '../../core/conditions.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import { baseStatus, conditionInput, statusFields } from '../conditions.ts';
import type { Kind } from '../kind/define-kind.ts';
import { isFields } from '../value-at.ts';

/** Conditions that the engine computes for every kind of `defineKind` (kstatus). */
export const ENGINE_CONDITIONS: readonly string[] = ['Ready', ...PROGRESS_CONDITIONS];

/**
 * The status of an object after a pass.
 * @param fields the author's fields; undefined keeps the present ones.
 * @param ready undefined when the engine computes it.
 * @throws EvenkeelError INVALID_STATUS
 */
export function kindStatus(
  kind: Kind<unknown, unknown>,
  object: KubeObject,
  nowMs: number,
  {
    fields,
    ready,
    conditions = [],
  }: { fields?: unknown; ready?: ConditionInput; conditions?: readonly ConditionInput[] },
): JsonObject {
  const own = fields === undefined ? ownFields(object) : parseFields(kind, fields);
  return {
    ...own,
    ...baseStatus(object, [...(ready === undefined ? [] : [ready]), ...ownConditions(conditions)], nowMs),
  };
}

/** The conditions that an author returned; the value may be anything. */
function ownConditions(conditions: readonly ConditionInput[]): ConditionInput[] {
  return conditions.map(({ type, status, reason, message }) => {
    if (ENGINE_CONDITIONS.includes(type)) {
      throw invalid(
        `the condition ${type}: the engine computes it. Return progressing() or terminal(), or another type`,
      );
    }
    return conditionInput(type, status, reason, message);
  });
}

function ownFields({ status }: KubeObject): JsonObject {
  const { conditions: _, observedGeneration: __, ...own } = statusFields(status);
  return own;
}

/** Every field is optional. Unknown fields are refused, because the API server would drop them. */
function parseFields({ status: schema }: Kind<unknown, unknown>, fields: unknown): JsonObject {
  if (!isFields(fields)) throw invalid('a status that is no object');
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  if (schema === undefined) {
    if (Object.keys(given).length === 0) return {};
    throw invalid('a status, and the kind has none: give defineKind its schema as status');
  }
  const { shape } = schema._zod.def as { shape?: object };
  const unknown = shape === undefined ? [] : Object.keys(given).filter((field) => !Object.hasOwn(shape, field));
  if (unknown.length > 0) throw invalid(`a status with ${unknown.length} fields that its schema does not have`);
  const parsed = everyFieldOptional(schema).safeParse(given);
  if (parsed.success) return parsed.data as JsonObject;
  const [issue] = parsed.error.issues;
  throw invalid(`a status that its schema refuses at ${['status', ...(issue?.path ?? [])].map(String).join('.')}`);
}

/** Makes every field of an object schema optional; a union is not changed. */
function everyFieldOptional(schema: z.ZodType): z.ZodType {
  return 'partial' in schema ? (schema as unknown as z.ZodObject).partial() : schema;
}

function invalid(what: string): EvenkeelError {
  return new EvenkeelError('INVALID_STATUS', `the controller returned ${what}`);
}
