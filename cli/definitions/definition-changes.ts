import type { DesiredObject, JsonObject } from '../../lib/core/kube-object.ts';
import type { CustomDefinition, CustomVersion } from '../types/custom-definition.ts';
import { schemaChanges } from './schema-changes.ts';

/**
 * What the definitions of a new release remove or refuse that those before it had or took. One line for each, such as
 * `tightened: websites.example.com v1 spec.size: maximum was 20 and is 10`.
 */
export function definitionChanges(before: readonly CustomDefinition[], after: readonly DesiredObject[]): string[] {
  return before.flatMap((definition) => {
    const { name } = definition.metadata;
    const next = after.find(({ metadata }) => metadata.name === name) as unknown as CustomDefinition | undefined;
    if (next === undefined) return [`removed: ${name}: the kind is gone, and its objects go with its definition`];
    if (next.spec.scope !== definition.spec.scope) {
      return [
        `tightened: ${name}: the scope was ${definition.spec.scope} and is ${next.spec.scope}, which no update may change`,
      ];
    }
    return definition.spec.versions.flatMap((version) => {
      const other = next.spec.versions.find((each) => each.name === version.name);
      return versionChanges(`${name} ${version.name}`, version, other);
    });
  });
}

function versionChanges(at: string, before: CustomVersion, after: CustomVersion | undefined): string[] {
  if (after === undefined) return [`removed: ${at}: the version is gone`];
  const served = before.served && !after.served ? [`removed: ${at}: the version is not served any more`] : [];
  const [root, next] = [before.schema.openAPIV3Schema, after.schema.openAPIV3Schema];
  const changes = ['spec', 'status'].flatMap((part) => {
    const [inner, other] = [root, next].map((schema) => (schema.properties as JsonObject | undefined)?.[part]);
    if (inner === undefined) return [];
    if (other === undefined) return [{ type: 'removed', path: part, what: 'the field is gone' } as const];
    return schemaChanges(inner as JsonObject, other as JsonObject, part);
  });
  return [...served, ...changes.map(({ type, path, what }) => `${type}: ${at} ${path}: ${what}`)];
}
