import { issueText } from '../apiserver/schema/issue.ts';
import { compileSchema } from '../apiserver/schema/schema.ts';
import type { DesiredObject, JsonObject } from '../core/kube-object.ts';
import type { ResourceType } from '../core/resource-type.ts';

/**
 * Why the API server would refuse an object of a kind of `defineKind`: by its schema, and by its rules in CEL.
 * @param old the object before, for rules that compare with it.
 * @returns one text for each error, such as `spec.host: Required value`; empty for a valid object.
 */
export function validateObject(
  kind: ResourceType & { readonly definition: DesiredObject },
  object: { readonly spec?: unknown },
  old?: { readonly spec?: unknown },
): string[] {
  const { versions } = kind.definition.spec as {
    versions: { name: string; schema: { openAPIV3Schema: JsonObject } }[];
  };
  const version = versions.find(({ name }) => name === kind.version);
  const schema = compileSchema(version?.schema.openAPIV3Schema ?? {});
  const [present, before] = [object, old].map((each) => {
    const copy = structuredClone(each ?? {}) as JsonObject;
    schema.prune(copy);
    schema.applyDefaults(copy);
    return copy;
  });
  return schema.validate(present ?? {}, old === undefined ? undefined : before).map(issueText);
}
