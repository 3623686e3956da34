import { clone, isObject, type JsonObject, type JsonValue, stringAt } from '../json.ts';
import { customType } from './custom-type.ts';

/** The effect of a definition on an object that was stored with another one. */
export interface StoredJudgement {
  /** Why the definition refuses the object; without the values. */
  readonly invalid: readonly { readonly path: string; readonly reason: string }[];
  /** Paths of the object's fields that the definition's schema does not declare. */
  readonly lost: readonly string[];
  /** Paths of the fields to which the definition's schema gives a default. */
  readonly gained: readonly string[];
}

/** Checks a stored object against a CustomResourceDefinition, as a read and the next write of the object would. */
export function judgeStored(definition: JsonObject, object: JsonObject): StoredJudgement {
  const { versions, strategy } = customType(definition);
  const version = versions.find(({ apiVersion, served }) => served && apiVersion === stringAt(object, 'apiVersion'));
  if (version === undefined) {
    return { invalid: [{ path: 'apiVersion', reason: 'FieldValueNotSupported' }], lost: [], gained: [] };
  }
  const shaped = clone(object);
  version.shape?.(shaped);
  const issues = strategy.validate?.(shaped, version) ?? [];
  return {
    invalid: issues.map(({ path, reason }) => ({ path, reason })),
    lost: version.unknownFields?.(object) ?? [],
    gained: gainedFields(object, shaped, ''),
  };
}

function gainedFields(before: JsonValue | undefined, after: JsonValue | undefined, path: string): string[] {
  if (after === undefined) return [];
  if (before === undefined) return [path];
  if (Array.isArray(before) && Array.isArray(after)) {
    return after.flatMap((item, index) => gainedFields(before[index], item, `${path}[${index}]`));
  }
  if (!isObject(before) || !isObject(after)) return [];
  return Object.entries(after).flatMap(([member, value]) =>
    gainedFields(
      Object.hasOwn(before, member) ? before[member] : undefined,
      value,
      path === '' ? member : `${path}.${member}`,
    ),
  );
}
