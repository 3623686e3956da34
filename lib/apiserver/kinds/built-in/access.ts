import { immutableField } from '../../field-issue.ts';
import { deepEqual, type JsonObject, objectAt, objectsAt, stringAt } from '../../json.ts';
import type { ResourceType } from '../../state/resource-type.ts';
import { ageColumn, column, nameColumn, wide } from '../../table/standard-columns.ts';
import { tokenSubresource } from '../../tokens/token-request.ts';
import { builtIn } from './define.ts';
import { setDefault } from './pod-template.ts';

const group = 'rbac.authorization.k8s.io';
const createdColumn = column('Created At', (object) => stringAt(objectAt(object, 'metadata'), 'creationTimestamp'), {
  type: 'date',
});

export const serviceAccountType = builtIn({
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  fields: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  others: new Map([['token', tokenSubresource]]),
});

/** RBAC objects are stored, but never evaluated. */
export const accessTypes: readonly ResourceType[] = [
  role('roles', 'Role', false),
  role('clusterroles', 'ClusterRole', true),
  binding('rolebindings', 'RoleBinding', false),
  binding('clusterrolebindings', 'ClusterRoleBinding', true),
];

function role(resource: string, kind: string, cluster: boolean): ResourceType {
  return builtIn({
    group,
    resource,
    kind,
    cluster,
    columns: [nameColumn, createdColumn],
    fields: ['rules', 'aggregationRule'],
    strategy: { names: 'path' },
  });
}

function binding(resource: string, kind: string, cluster: boolean): ResourceType {
  return builtIn({
    group,
    resource,
    kind,
    cluster,
    fields: ['roleRef', 'subjects'],
    columns: [
      nameColumn,
      column('Role', (object) => {
        const reference = objectAt(object, 'roleRef');
        return `${stringAt(reference, 'kind')}/${stringAt(reference, 'name')}`;
      }),
      ageColumn,
      wide('Users', (object) => subjects(object, 'User')),
      wide('Groups', (object) => subjects(object, 'Group')),
      wide('ServiceAccounts', (object) => subjects(object, 'ServiceAccount')),
    ],
    shape(object) {
      const reference = objectAt(object, 'roleRef');
      if (reference !== undefined) setDefault(reference, 'apiGroup', group);
      for (const subject of objectsAt(object, 'subjects')) {
        if (subject.kind === 'User' || subject.kind === 'Group') setDefault(subject, 'apiGroup', group);
      }
    },
    strategy: {
      names: 'path',
      validateUpdate: (object, old) =>
        deepEqual(object.roleRef, old.roleRef)
          ? []
          : [immutableField('roleRef', goReference(objectAt(object, 'roleRef')))],
    },
  });
}

/** The reference with the field names of its Go type, in which the real server shows it in errors. */
function goReference(reference: JsonObject | undefined): JsonObject {
  const { apiGroup = '', kind = '', name = '' } = reference ?? {};
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function subjects(object: JsonObject, kind: string): string {
  return objectsAt(object, 'subjects')
    .filter((subject) => subject.kind === kind)
    .map((subject) => {
      const name = stringAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}
