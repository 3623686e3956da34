import { type JsonObject, stringAt, stringsAt } from '../json.ts';
import type { ResourceType } from '../state/resource-type.ts';

/** The accepted names of a definition. */
export interface AcceptedNames {
  readonly names: JsonObject;
  /** The conflict with another type of the group, if there is one. */
  readonly clash: { readonly reason: string; readonly message: string } | undefined;
}

/** Compares the names with those of the other types of the group: each free name is accepted. */
export function acceptNames(wanted: JsonObject, others: readonly ResourceType[]): AcceptedNames {
  const resources = new Set(others.flatMap((type) => [type.resource, type.singular, ...type.shortNames]));
  const kinds = new Set(others.flatMap((type) => [type.kind, type.listKind]));
  const names: JsonObject = { plural: '', kind: '' };
  let clash: AcceptedNames['clash'];
  const take = (field: string, reason: string, used: ReadonlySet<string>): void => {
    const name = stringAt(wanted, field);
    if (used.has(name)) clash = { reason, message: `${JSON.stringify(name)} is already in use` };
    else if (name !== '') names[field] = name;
  };
  take('plural', 'PluralConflict', resources);
  take('singular', 'SingularConflict', resources);
  const shortNames = stringsAt(wanted, 'shortNames');
  const taken = shortNames.filter((name) => resources.has(name));
  if (taken.length > 0) {
    const message = taken.map((name) => `${JSON.stringify(name)} is already in use`).join(', ');
    clash = { reason: 'ShortNamesConflict', message };
  } else if (shortNames.length > 0) names.shortNames = [...shortNames];
  take('kind', 'KindConflict', kinds);
  take('listKind', 'ListKindConflict', kinds);
  const categories = stringsAt(wanted, 'categories');
  if (categories.length > 0) names.categories = [...categories];
  return { names, clash };
}
