import type { JsonObject } from '../../lib/core/kube-object.ts';
import { isFields, listAt, valueAt } from '../../lib/kit/value-at.ts';
import type { CustomDefinition, CustomVersion } from './custom-definition.ts';
import type { Notes } from './notes.ts';

const KEEP = 'keep the definition of its owner in the cluster';
const ROOT_FIELDS = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
/** What evenkeel adds to the status of each kind. */
const OF_CONDITIONS = ['type', 'status', 'observedGeneration', 'reason', 'message', 'lastTransitionTime'];

/** Notes what a definition has and `defineKind` has no word for, apart from the schemas of spec and status. */
export function noteKind({ spec }: CustomDefinition, notes: Notes): void {
  const { conversion, names, versions, group } = spec;
  if (conversion !== undefined && conversion.strategy !== 'None') {
    notes.add('conversion', `a webhook converts the versions, and the module has none; ${KEEP}`);
  }
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    notes.add('group', `the API server takes kinds of this group only with an annotation of approval; ${KEEP}`);
  }
  if ((names.categories ?? []).length > 0) notes.add('names.categories', 'left out');
  if (names.singular !== undefined && names.singular !== names.kind.toLowerCase()) {
    notes.add('names.singular', 'becomes the kind in lower case');
  }
  if (names.listKind !== undefined && names.listKind !== `${names.kind}List`) {
    notes.add('names.listKind', 'becomes the kind with List');
  }
  for (const version of versions) noteVersion(version, versions.length > 1 ? `version ${version.name}: ` : '', notes);
}

function noteVersion(version: CustomVersion, at: string, notes: Notes): void {
  const { served, storage, deprecated, subresources, selectableFields, schema } = version;
  if (storage && !served) notes.add(`${at}served`, 'the stored version is served');
  if (deprecated === true) notes.add(`${at}deprecated`, 'left out');
  if (subresources?.scale !== undefined)
    notes.add(`${at}subresources.scale`, `left out, so kubectl scale fails; ${KEEP}`);
  if (subresources?.status === undefined) notes.add(`${at}subresources.status`, 'a kind of evenkeel has one');
  if (selectableFields !== undefined) notes.add(`${at}selectableFields`, 'left out');
  noteRoot(schema.openAPIV3Schema, at, notes);
}

/** Notes what stands next to spec and status. */
function noteRoot(root: JsonObject, at: string, notes: Notes): void {
  const properties = (root.properties ?? {}) as Record<string, JsonObject>;
  for (const name of Object.keys(properties)) {
    if (!ROOT_FIELDS.has(name)) notes.add(`${at}${name}`, `a field next to spec and status is lost; ${KEEP}`);
  }
  if (Object.keys(properties.metadata ?? {}).some((keyword) => keyword !== 'type' && keyword !== 'description')) {
    notes.add(`${at}metadata`, 'its rules are left out');
  }
  if (listAt(root, 'x-kubernetes-validations').length > 0) {
    const remedy = 'write those of the spec again in validations, where self is the spec';
    notes.add(`${at}x-kubernetes-validations`, `the rules of the whole object are left out; ${remedy}`);
  }
  noteSpec(root, properties.spec, at, notes);
  noteConditions(properties.status, at, notes);
}

/** `defineKind` requires a spec when an empty one is invalid. */
function noteSpec(root: JsonObject, spec: JsonObject | undefined, at: string, notes: Notes): void {
  const isRequired = listAt(root, 'required').includes('spec') && spec?.default === undefined;
  const needed = listAt(spec, 'required').filter(
    (name) => valueAt(spec, 'properties', String(name), 'default') === undefined,
  );
  if (isRequired && needed.length === 0) notes.add(`${at}spec`, 'an object without a spec is accepted');
  if (!isRequired && needed.length > 0) notes.add(`${at}spec`, 'required, because an empty spec is invalid');
}

function noteConditions(status: JsonObject | undefined, at: string, notes: Notes): void {
  const items = valueAt(status, 'properties', 'conditions', 'items');
  if (!isFields(items)) return;
  const fields = isFields(items.properties) ? Object.keys(items.properties) : [];
  const others = fields.filter((name) => !OF_CONDITIONS.includes(name));
  const required = listAt(items, 'required');
  const looser = OF_CONDITIONS.filter((name) => name !== 'observedGeneration' && !required.includes(name));
  if (others.length > 0) notes.add(`${at}status.conditions`, `evenkeel's conditions have no ${others.join(', ')}`);
  if (looser.length > 0) notes.add(`${at}status.conditions`, `evenkeel's conditions require ${looser.join(', ')}`);
}
