import type { FieldShape, FieldType, MessageShape } from './message-shape.ts';

const one = (name: string, type: FieldType = 'string'): FieldShape => ({ name, type });
const many = (name: string, type: FieldType = 'string'): FieldShape => ({ name, type, repeated: true });
const pointer = (name: string, type: FieldType): FieldShape => ({ name, type, pointer: true });
const message = (name: string, fields: Readonly<Record<number, FieldShape>>): MessageShape => ({ name, fields });

const objectMeta = message('ObjectMeta', {
  1: one('name'),
  2: one('generateName'),
  3: one('namespace'),
  5: one('uid'),
  6: one('resourceVersion'),
  7: one('generation', 'integer'),
  11: one('labels', 'map'),
  12: one('annotations', 'map'),
  13: many(
    'ownerReferences',
    message('OwnerReference', {
      1: one('kind'),
      3: one('name'),
      4: one('uid'),
      5: one('apiVersion'),
      6: pointer('controller', 'boolean'),
      7: pointer('blockOwnerDeletion', 'boolean'),
    }),
  ),
  14: many('finalizers'),
});

const secret = message('Secret', {
  1: one('metadata', objectMeta),
  2: one('data', 'mapOfBytes'),
  3: one('type'),
  4: one('stringData', 'map'),
  5: pointer('immutable', 'boolean'),
});

const configMap = message('ConfigMap', {
  1: one('metadata', objectMeta),
  2: one('data', 'map'),
  3: one('binaryData', 'mapOfBytes'),
  4: pointer('immutable', 'boolean'),
});

const namespace = message('Namespace', {
  1: one('metadata', objectMeta),
  2: one('spec', message('NamespaceSpec', { 1: many('finalizers') })),
});

const serviceAccount = message('ServiceAccount', {
  1: one('metadata', objectMeta),
  3: many('imagePullSecrets', message('LocalObjectReference', { 1: one('name') })),
  4: pointer('automountServiceAccountToken', 'boolean'),
});

const service = message('Service', {
  1: one('metadata', objectMeta),
  2: one(
    'spec',
    message('ServiceSpec', {
      1: many(
        'ports',
        message('ServicePort', {
          1: one('name'),
          2: one('protocol'),
          3: one('port', 'integer'),
          4: one('targetPort', 'integerOrString'),
          5: one('nodePort', 'integer'),
          6: pointer('appProtocol', 'string'),
        }),
      ),
      2: one('selector', 'map'),
      3: one('clusterIP'),
      4: one('type'),
      7: one('sessionAffinity'),
      10: one('externalName'),
      18: many('clusterIPs'),
    }),
  ),
});

const container = message('Container', {
  1: one('name'),
  2: one('image'),
  3: many('command'),
  4: many('args'),
  5: one('workingDir'),
  6: many(
    'ports',
    message('ContainerPort', {
      1: one('name'),
      2: one('hostPort', 'integer'),
      3: one('containerPort', 'integer'),
      4: one('protocol'),
    }),
  ),
  14: one('imagePullPolicy'),
});

const podTemplate = message('PodTemplateSpec', {
  1: one('metadata', objectMeta),
  2: one('spec', message('PodSpec', { 2: many('containers', container), 3: one('restartPolicy') })),
});

const deployment = message('Deployment', {
  1: one('metadata', objectMeta),
  2: one(
    'spec',
    message('DeploymentSpec', {
      1: pointer('replicas', 'integer'),
      2: pointer('selector', message('LabelSelector', { 1: one('matchLabels', 'map') })),
      3: one('template', podTemplate),
      4: one('strategy', message('DeploymentStrategy', { 1: one('type') })),
    }),
  ),
});

const rules = many(
  'rules',
  message('PolicyRule', {
    1: many('verbs'),
    2: many('apiGroups'),
    3: many('resources'),
    4: many('resourceNames'),
    5: many('nonResourceURLs'),
  }),
);
const role = message('Role', { 1: one('metadata', objectMeta), 2: rules });
const binding = message('RoleBinding', {
  1: one('metadata', objectMeta),
  2: many('subjects', message('Subject', { 1: one('kind'), 2: one('apiGroup'), 3: one('name'), 4: one('namespace') })),
  3: one('roleRef', message('RoleRef', { 1: one('apiGroup'), 2: one('kind'), 3: one('name') })),
});

const metadata = one('metadata', objectMeta);
const resourceAttributes = message('ResourceAttributes', {
  1: one('namespace'),
  2: one('verb'),
  3: one('group'),
  4: one('version'),
  5: one('resource'),
  6: one('subresource'),
  7: one('name'),
});
const accessReview = message('SelfSubjectAccessReview', {
  1: metadata,
  2: one(
    'spec',
    message('SelfSubjectAccessReviewSpec', {
      1: pointer('resourceAttributes', resourceAttributes),
      2: pointer('nonResourceAttributes', message('NonResourceAttributes', { 1: one('path'), 2: one('verb') })),
    }),
  ),
});
const rulesReview = message('SelfSubjectRulesReview', {
  1: metadata,
  2: one('spec', message('SelfSubjectRulesReviewSpec', { 1: one('namespace') })),
});
const boundObject = message('BoundObjectReference', {
  1: one('kind'),
  2: one('apiVersion'),
  3: one('name'),
  4: one('uid'),
});
const tokenRequest = message('TokenRequest', {
  1: metadata,
  2: one(
    'spec',
    message('TokenRequestSpec', {
      1: many('audiences'),
      3: pointer('boundObjectRef', boundObject),
      4: pointer('expirationSeconds', 'integer'),
    }),
  ),
});

/**
 * The messages that `kubectl create KIND`, `kubectl create token` and `kubectl auth` send, by apiVersion and kind.
 * Every other command of kubectl sends JSON. The field numbers are those of the generated.proto files of k8s.io/api and
 * k8s.io/apimachinery.
 */
export const KIND_SHAPES: Readonly<Record<string, MessageShape>> = {
  'v1/ConfigMap': configMap,
  'v1/Namespace': namespace,
  'v1/Secret': secret,
  'v1/Service': service,
  'v1/ServiceAccount': serviceAccount,
  'apps/v1/Deployment': deployment,
  'authentication.k8s.io/v1/SelfSubjectReview': message('SelfSubjectReview', { 1: metadata }),
  'authentication.k8s.io/v1/TokenRequest': tokenRequest,
  'authorization.k8s.io/v1/SelfSubjectAccessReview': accessReview,
  'authorization.k8s.io/v1/SelfSubjectRulesReview': rulesReview,
  'rbac.authorization.k8s.io/v1/ClusterRole': role,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': binding,
  'rbac.authorization.k8s.io/v1/Role': role,
  'rbac.authorization.k8s.io/v1/RoleBinding': binding,
};
