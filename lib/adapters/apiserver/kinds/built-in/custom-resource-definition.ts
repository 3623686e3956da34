import { definitionIssues, definitionUpdateIssues } from '../../definitions/definition-issues.ts';
import { ensureObject, objectAt, objectsAt, stringAt } from '../../json.ts';
import { column, nameColumn } from '../../table/standard-columns.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';

export const customResourceDefinitionType = builtIn({
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
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
    prepareForCreate(crd) {
      crd.status = {};
    },
    validate: definitionIssues,
    validateUpdate: (crd, old, subresource) => (subresource === 'status' ? [] : definitionUpdateIssues(crd, old)),
  },
});
