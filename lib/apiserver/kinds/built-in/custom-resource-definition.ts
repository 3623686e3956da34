import { deletionPending, setDefinitionCondition } from '../../definitions/definition-conditions.ts';
import { definitionIssues, definitionUpdateIssues } from '../../definitions/definition-issues.ts';
import { ensureObject, objectAt, objectsAt, stringAt, stringsAt } from '../../json.ts';
import { column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';

/** Keeps a deleting CustomResourceDefinition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const customResourceDefinitionType = builtIn({
  keepsEmpty: true,
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  fields: ['spec', 'status'],
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  cluster: true,
  subresources: ['status'],
  columns: [nameColumn, column('Created At', (crd) => stringAt(objectAt(crd, 'metadata'), 'creationTimestamp'))],
  shape(crd) {
    const spec = objectAt(crd, 'spec');
    if (spec === undefined) return;
    const names = ensureObject(spec, 'names');
    const kind = stringAt(names, 'kind');
    if (kind !== '') {
      setDefault(names, 'singular', kind.toLowerCase());
      setDefault(names, 'listKind', `${kind}List`);
    }
    setDefault(spec, 'conversion', { strategy: 'None' });
    for (const version of objectsAt(spec, 'versions')) {
      for (const each of objectsAt(version, 'additionalPrinterColumns')) {
        if (each.priority === 0) delete each.priority;
      }
    }
  },
  strategy: {
    generation: true,
    unconditionalUpdate: false,
    marksDeletionOnly: true,
    prepareForCreate(crd) {
      const storage = objectsAt(objectAt(crd, 'spec'), 'versions').filter((version) => version.storage === true);
      crd.status = {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storage.map((version) => stringAt(version, 'name')),
      };
    },
    prepareForDeletion(crd, now) {
      const metadata = ensureObject(crd, 'metadata');
      const finalizers = stringsAt(metadata, 'finalizers');
      if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer];
      setDefinitionCondition(crd, deletionPending, now);
    },
    validate: (crd) => definitionIssues(crd),
    validateUpdate: (crd, old, subresource) => (subresource === 'status' ? [] : definitionUpdateIssues(crd, old)),
  },
});
