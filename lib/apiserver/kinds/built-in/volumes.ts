import { type FieldIssue, forbidden } from '../../api-error.ts';
import { forbiddenField, immutableField, requiredValue } from '../../field-issue.ts';
import { clone, deepEqual, ensureObject, type JsonObject, objectAt, stringAt, stringsAt } from '../../json.ts';
import type { PresentObjects } from '../../state/resource-type.ts';
import { ageColumn, column, nameColumn, wide } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';
import { canonicalizeResources, compareQuantities } from './quantity.ts';

/** Finalizers that keep claims and volumes while they are in use. */
export const claimProtection = 'kubernetes.io/pvc-protection';
export const volumeProtection = 'kubernetes.io/pv-protection';

export const persistentVolumeClaimType = builtIn({
  resource: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  fields: ['spec', 'status'],
  shortNames: ['pvc'],
  subresources: ['status'],
  columns: [
    nameColumn,
    column('Status', phaseText),
    column('Volume', (claim) => stringAt(objectAt(claim, 'spec'), 'volumeName')),
    column('Capacity', (claim) => stringAt(objectAt(objectAt(claim, 'status'), 'capacity'), 'storage')),
    column('Access Modes', (claim) => accessModes(objectAt(claim, 'status'))),
    column('StorageClass', (claim) => stringAt(objectAt(claim, 'spec'), 'storageClassName'), {
      description: 'StorageClass of the pvc',
    }),
    column('VolumeAttributesClass', () => '<unset>', { description: 'VolumeAttributesClass of the pvc' }),
    ageColumn,
    wide('VolumeMode', (claim) => stringAt(objectAt(claim, 'spec'), 'volumeMode') || '<unset>'),
  ],
  shape(claim) {
    const spec = objectAt(claim, 'spec');
    if (spec !== undefined) {
      setDefault(spec, 'volumeMode', 'Filesystem');
      setDefault(spec, 'resources', {});
      canonicalizeResources(objectAt(objectAt(spec, 'resources'), 'requests'));
      canonicalizeResources(objectAt(objectAt(spec, 'resources'), 'limits'));
    }
    canonicalizeResources(objectAt(objectAt(claim, 'status'), 'capacity'));
  },
  strategy: {
    prepareForCreate(claim) {
      claim.status = { phase: 'Pending' };
      protect(claim, claimProtection);
    },
    admitUpdate: admitResize,
    validate: validateClaim,
    validateUpdate: (claim, old, subresource) =>
      subresource === 'status' ? [] : [...validateClaim(claim), ...validateClaimUpdate(claim, old)],
  },
});

export const persistentVolumeType = builtIn({
  resource: 'persistentvolumes',
  kind: 'PersistentVolume',
  fields: ['spec', 'status'],
  shortNames: ['pv'],
  cluster: true,
  subresources: ['status'],
  columns: [
    nameColumn,
    column('Capacity', (volume) => stringAt(objectAt(objectAt(volume, 'spec'), 'capacity'), 'storage')),
    column('Access Modes', (volume) => accessModes(objectAt(volume, 'spec'))),
    column('Reclaim Policy', (volume) => stringAt(objectAt(volume, 'spec'), 'persistentVolumeReclaimPolicy')),
    column('Status', phaseText),
    column('Claim', (volume) => {
      const claim = objectAt(objectAt(volume, 'spec'), 'claimRef');
      return claim === undefined ? '' : `${stringAt(claim, 'namespace')}/${stringAt(claim, 'name')}`;
    }),
    column('StorageClass', (volume) => stringAt(objectAt(volume, 'spec'), 'storageClassName'), {
      description: 'StorageClass of the pv',
    }),
    column('VolumeAttributesClass', () => '<unset>', { description: 'VolumeAttributesClass of the pv' }),
    column('Reason', (volume) => stringAt(objectAt(volume, 'status'), 'reason')),
    ageColumn,
    wide('VolumeMode', (volume) => stringAt(objectAt(volume, 'spec'), 'volumeMode') || '<unset>'),
  ],
  shape(volume) {
    const spec = objectAt(volume, 'spec');
    if (spec === undefined) return;
    setDefault(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    setDefault(spec, 'volumeMode', 'Filesystem');
    canonicalizeResources(objectAt(spec, 'capacity'));
  },
  strategy: {
    prepareForCreate(volume) {
      volume.status = { phase: 'Pending' };
      protect(volume, volumeProtection);
    },
  },
});

export const storageClassType = builtIn({
  group: 'storage.k8s.io',
  resource: 'storageclasses',
  kind: 'StorageClass',
  fields: [
    'provisioner',
    'parameters',
    'reclaimPolicy',
    'mountOptions',
    'allowVolumeExpansion',
    'volumeBindingMode',
    'allowedTopologies',
  ],
  shortNames: ['sc'],
  cluster: true,
  columns: [
    column(
      'Name',
      (object) => {
        const metadata = objectAt(object, 'metadata');
        const marked = objectAt(metadata, 'annotations')?.['storageclass.kubernetes.io/is-default-class'] === 'true';
        return stringAt(metadata, 'name') + (marked ? ' (default)' : '');
      },
      { format: 'name' },
    ),
    column('Provisioner', (object) => stringAt(object, 'provisioner')),
    column('ReclaimPolicy', (object) => stringAt(object, 'reclaimPolicy')),
    column('VolumeBindingMode', (object) => stringAt(object, 'volumeBindingMode')),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    ageColumn,
  ],
  shape(object) {
    setDefault(object, 'reclaimPolicy', 'Delete');
    setDefault(object, 'volumeBindingMode', 'Immediate');
  },
  strategy: {
    validate: (object) => (stringAt(object, 'provisioner') === '' ? [requiredValue('provisioner')] : []),
    validateUpdate: (object, old) =>
      ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode']
        .filter((field) => !deepEqual(object[field], old[field]))
        .map((field) => immutableField(field, null)),
  },
});

function protect(object: JsonObject, finalizer: string): void {
  const metadata = ensureObject(object, 'metadata');
  const finalizers = stringsAt(metadata, 'finalizers');
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}

/** The real server's PersistentVolumeClaimResize admission. */
function admitResize(claim: JsonObject, old: JsonObject, present: PresentObjects): void {
  if ((compareQuantities(requestedStorage(claim), requestedStorage(old)) ?? 0) <= 0) return;
  const subject = { group: '', resource: 'persistentvolumeclaims' };
  const name = stringAt(objectAt(claim, 'metadata'), 'name');
  if (stringAt(objectAt(old, 'status'), 'phase') !== 'Bound') {
    throw forbidden(subject, name, 'Only bound persistent volume claims can be expanded');
  }
  const className = stringAt(objectAt(claim, 'spec'), 'storageClassName');
  const storageClass = present.get(storageClassType.collection, className);
  if (storageClass?.object.allowVolumeExpansion === true) return;
  const why =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbidden(subject, name, why);
}

function phaseText(object: JsonObject): string {
  if (objectAt(object, 'metadata')?.deletionTimestamp !== undefined) return 'Terminating';
  return stringAt(objectAt(object, 'status'), 'phase');
}

const shortModes = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

function accessModes(part: JsonObject | undefined): string {
  const modes = new Set(stringsAt(part, 'accessModes'));
  return [...shortModes]
    .filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',');
}

function validateClaim(claim: JsonObject): FieldIssue[] {
  const spec = objectAt(claim, 'spec');
  const issues: FieldIssue[] = [];
  if (stringsAt(spec, 'accessModes').length === 0) {
    issues.push(requiredValue('spec.accessModes', 'at least 1 access mode is required'));
  }
  if (requestedStorage(claim) === undefined) issues.push(requiredValue('spec.resources[storage]'));
  return issues;
}

function requestedStorage(claim: JsonObject): JsonObject[string] | undefined {
  return objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests')?.storage;
}

function validateClaimUpdate(claim: JsonObject, old: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const bound = stringAt(objectAt(claim, 'status'), 'phase') === 'Bound';
  if (!deepEqual(fixedPart(claim, old, bound), fixedPart(old, old, bound))) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    issues.push(forbiddenField('spec', detail));
  }
  const size = requestedStorage(claim);
  const capacity = objectAt(objectAt(old, 'status'), 'capacity')?.storage ?? '0';
  const shrinks = (compareQuantities(size, requestedStorage(old)) ?? 0) < 0;
  if (shrinks && (compareQuantities(size, capacity) ?? 1) <= 0) {
    issues.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  return issues;
}

/** The fields that an update must not change. The volume is set once, when the claim is bound. */
function fixedPart(claim: JsonObject, old: JsonObject, bound: boolean): JsonObject {
  const spec = clone(objectAt(claim, 'spec') ?? {});
  if (stringAt(objectAt(old, 'spec'), 'volumeName') === '') delete spec.volumeName;
  if (bound) {
    delete objectAt(objectAt(spec, 'resources'), 'requests')?.storage;
    delete spec.volumeAttributesClassName;
  }
  return spec;
}
