import { ensureObject, objectAt, stringAt, stringsAt } from '../../json.ts';
import { ageColumn, column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';

/** The finalizer in `spec.finalizers` that stands for the removal of the namespace's content. */
export const contentFinalizer = 'kubernetes';

export const namespaceType = builtIn({
  resource: 'namespaces',
  kind: 'Namespace',
  fields: ['spec', 'status'],
  shortNames: ['ns'],
  cluster: true,
  subresources: ['status', 'finalize'],
  columns: [nameColumn, column('Status', (object) => stringAt(objectAt(object, 'status'), 'phase')), ageColumn],
  selectableFields: new Map([['status.phase', ['status', 'phase']]]),
  shape(object) {
    const metadata = ensureObject(object, 'metadata');
    const name = stringAt(metadata, 'name');
    // A generated name is not known yet. The next write adds the label.
    if (name !== '') metadata.labels = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
  },
  strategy: {
    names: 'label',
    marksDeletionOnly: true,
    statusSubresource: true,
    prepareForCreate(object) {
      object.status = { phase: 'Active' };
      const spec = ensureObject(object, 'spec');
      const finalizers = stringsAt(spec, 'finalizers');
      spec.finalizers = finalizers.includes(contentFinalizer) ? [...finalizers] : [...finalizers, contentFinalizer];
    },
    prepareForUpdate(object, old, subresource) {
      const spec = objectAt(old, 'spec');
      if (subresource !== 'finalize' && spec !== undefined) {
        ensureObject(object, 'spec').finalizers = [...stringsAt(spec, 'finalizers')];
      }
      if (subresource === 'finalize' && old.status !== undefined) object.status = old.status;
    },
    retains: (object) => stringsAt(objectAt(object, 'spec'), 'finalizers').length > 0,
    prepareForDeletion(object) {
      const status = { ...objectAt(object, 'status'), phase: 'Terminating' };
      object.status = status;
    },
  },
});
