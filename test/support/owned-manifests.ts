import type { JsonObject } from '../../lib/core/kube-object.ts';
import type { ResourceType } from '../../lib/core/resource-type.ts';

export interface OwnedManifest {
  readonly title: string;
  readonly type: ResourceType;
  readonly content: JsonObject;
  /** Labels and annotations that the object is made with. */
  readonly metadata?: JsonObject;
  /** The embedded API server has no such kind. */
  readonly realOnly?: true;
}

function kind(group: string, name: string, plural = `${name.toLowerCase()}s`): ResourceType {
  return { group, version: group === 'autoscaling' ? 'v2' : 'v1', plural, kind: name, namespaced: true };
}

const Pods = kind('', 'Pod');
const Services = kind('', 'Service');
const ConfigMapKind = kind('', 'ConfigMap');
const SecretKind = kind('', 'Secret');
const DeploymentKind = kind('apps', 'Deployment');
const NetworkPolicies = kind('networking.k8s.io', 'NetworkPolicy', 'networkpolicies');
const Claims = kind('', 'PersistentVolumeClaim');
const Roles = kind('rbac.authorization.k8s.io', 'Role');
const labels = { app: 'web' };
const selector = { matchLabels: labels };

/** A pod with as many fields as possible that the API server leaves out, fills in or writes in its own form. */
const podSpec: JsonObject = {
  nodeSelector: {},
  hostNetwork: false,
  hostPID: false,
  tolerations: [],
  imagePullSecrets: [],
  initContainers: [],
  securityContext: {},
  serviceAccountName: '',
  containers: [
    {
      name: 'web',
      image: 'registry.example/web:1',
      args: [],
      command: null,
      workingDir: '',
      env: [
        { name: 'EMPTY', value: '' },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      envFrom: [],
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', name: '' }],
      resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.5', memory: '1073741824' } },
      livenessProbe: { httpGet: { port: 80, httpHeaders: [] }, initialDelaySeconds: 0 },
      readinessProbe: { tcpSocket: { port: 'http' }, timeoutSeconds: 0 },
      stdin: false,
      tty: false,
      volumeMounts: [{ name: 'cache', mountPath: '/cache', readOnly: false, subPath: '' }],
    },
  ],
  volumes: [
    { name: 'cache', emptyDir: {} },
    { name: 'config', configMap: { name: 'web', items: [], optional: false } },
  ],
};
const template: JsonObject = { metadata: { labels, annotations: {} }, spec: podSpec };
const plainTemplate: JsonObject = {
  metadata: { labels },
  spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
};
const claim: JsonObject = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1024Mi' }, limits: {} },
  volumeName: '',
  selector: null,
};

/** Objects of the built-in kinds that an author can own: plain ones, and ones with many empty and unusual values. */
export const ownedManifests: readonly OwnedManifest[] = [
  { title: 'a plain Deployment', type: DeploymentKind, content: { spec: { selector, template: plainTemplate } } },
  {
    title: 'a Deployment with empty values, quantities and references',
    type: DeploymentKind,
    content: { spec: { replicas: 0, paused: false, minReadySeconds: 0, strategy: {}, selector, template } },
  },
  { title: 'a Pod', type: Pods, content: { spec: podSpec }, metadata: { labels, annotations: {} } },
  {
    title: 'a Service with defaults',
    type: Services,
    content: { spec: { selector: labels, ports: [{ port: 80 }] } },
  },
  {
    title: 'a headless Service',
    type: Services,
    content: {
      spec: {
        clusterIP: 'None',
        selector: labels,
        publishNotReadyAddresses: false,
        externalIPs: [],
        sessionAffinity: '',
        ports: [
          { name: 'http', port: 80, targetPort: 'http', nodePort: 0 },
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
        ],
      },
    },
  },
  { title: 'an empty ConfigMap', type: ConfigMapKind, content: { data: {} }, metadata: { annotations: {} } },
  {
    title: 'a ConfigMap with empty text and null',
    type: ConfigMapKind,
    content: { data: { empty: '', a: '1' }, binaryData: null, immutable: false },
  },
  {
    title: 'a Secret with stringData',
    type: SecretKind,
    content: { stringData: { user: 'me', empty: '' }, data: { other: 'eA==' }, type: 'Opaque' },
  },
  { title: 'a Secret with empty stringData', type: SecretKind, content: { stringData: {}, data: {} } },
  { title: 'a Secret with stringData alone', type: SecretKind, content: { stringData: { user: 'ünï' } } },
  {
    title: 'a ServiceAccount',
    type: kind('', 'ServiceAccount'),
    content: { imagePullSecrets: [], secrets: [], automountServiceAccountToken: false },
  },
  {
    title: 'a NetworkPolicy that allows nothing',
    type: NetworkPolicies,
    content: { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] } },
  },
  {
    title: 'a NetworkPolicy with ports',
    type: NetworkPolicies,
    content: {
      spec: {
        podSelector: { matchLabels: {} },
        ingress: [{ from: [], ports: [{ port: 80 }, { port: 'http', protocol: 'UDP' }] }],
      },
    },
  },
  { title: 'a PersistentVolumeClaim', type: Claims, content: { spec: claim } },
  {
    title: 'a Role',
    type: Roles,
    content: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }] },
  },
  { title: 'a Role without rules', type: Roles, content: { rules: [] } },
  {
    title: 'a RoleBinding',
    type: kind('rbac.authorization.k8s.io', 'RoleBinding'),
    content: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'web' },
      subjects: [
        { kind: 'ServiceAccount', name: 'web', namespace: 'default', apiGroup: '' },
        { kind: 'User', name: 'me' },
      ],
    },
  },
  {
    title: 'a StatefulSet with volumeClaimTemplates',
    type: kind('apps', 'StatefulSet'),
    realOnly: true,
    content: {
      spec: {
        serviceName: '',
        replicas: 1,
        minReadySeconds: 0,
        selector,
        template,
        volumeClaimTemplates: [{ metadata: { name: 'data', labels: {} }, spec: claim }],
      },
    },
  },
  {
    title: 'a DaemonSet',
    type: kind('apps', 'DaemonSet'),
    realOnly: true,
    content: { spec: { selector, template, minReadySeconds: 0, updateStrategy: {} } },
  },
  {
    title: 'a Job',
    type: kind('batch', 'Job'),
    realOnly: true,
    content: { spec: { backoffLimit: 0, suspend: false, template: restarting(template) } },
  },
  {
    title: 'a CronJob',
    type: kind('batch', 'CronJob'),
    realOnly: true,
    content: {
      spec: {
        schedule: '0 * * * *',
        suspend: false,
        concurrencyPolicy: '',
        successfulJobsHistoryLimit: 0,
        jobTemplate: { metadata: { labels: {} }, spec: { template: restarting(template) } },
      },
    },
  },
  {
    title: 'an Ingress',
    type: kind('networking.k8s.io', 'Ingress', 'ingresses'),
    realOnly: true,
    content: {
      spec: {
        tls: [],
        rules: [
          {
            host: '',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
  },
  {
    title: 'a PodDisruptionBudget',
    type: kind('policy', 'PodDisruptionBudget'),
    realOnly: true,
    content: { spec: { minAvailable: 0, selector: { matchLabels: labels, matchExpressions: [] } } },
  },
  {
    title: 'a HorizontalPodAutoscaler',
    type: kind('autoscaling', 'HorizontalPodAutoscaler'),
    realOnly: true,
    content: {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 2,
        metrics: [
          { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1024Mi' } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    },
  },
];

function restarting(pod: JsonObject): JsonObject {
  return { ...pod, spec: { ...(pod.spec as JsonObject), restartPolicy: 'OnFailure' } };
}
