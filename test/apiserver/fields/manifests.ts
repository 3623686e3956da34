import type { JsonObject } from '../../../lib/apiserver/json.ts';

/** A pod template that uses every field with its own way of merging. */
const podTemplate = {
  metadata: { labels: { a: 'b' }, annotations: { x: 'y' } },
  spec: {
    restartPolicy: 'Always',
    nodeSelector: { k: 'v' },
    tolerations: [{ key: 'k', operator: 'Exists' }],
    securityContext: { runAsUser: 1, seccompProfile: { type: 'RuntimeDefault' }, supplementalGroups: [1], fsGroup: 5 },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 't', labelSelector: { matchLabels: { a: 'b' } } } },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'z',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { a: 'b' } },
        matchLabelKeys: ['q'],
      },
    ],
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['h'] }],
    imagePullSecrets: [{ name: 'p' }],
    dnsConfig: { nameservers: ['1.1.1.1'], options: [{ name: 'o' }] },
    readinessGates: [{ conditionType: 'x.y/z' }],
    initContainers: [{ name: 'i', image: 'i', command: ['c'], restartPolicy: 'Always' }],
    containers: [
      {
        name: 'c',
        image: 'i',
        args: ['a'],
        command: ['b'],
        env: [
          { name: 'E', value: '1' },
          { name: 'F', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'G', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'H', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        ],
        envFrom: [{ configMapRef: { name: 'm' } }],
        ports: [
          { containerPort: 80, name: 'http' },
          { containerPort: 80, protocol: 'UDP' },
        ],
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
        livenessProbe: { httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'h', value: 'v' }] } },
        readinessProbe: { exec: { command: ['x'] } },
        startupProbe: { tcpSocket: { port: 1 } },
        lifecycle: { preStop: { exec: { command: ['x'] } }, postStart: { httpGet: { port: 80 } } },
        securityContext: {
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
          allowPrivilegeEscalation: false,
        },
        volumeMounts: [
          { name: 'v', mountPath: '/v' },
          { name: 'v', mountPath: '/w', subPath: 's' },
        ],
        volumeDevices: [{ name: 'd', devicePath: '/dev/x' }],
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      },
    ],
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'c', configMap: { name: 'm', items: [{ key: 'a', path: 'b' }] } },
      { name: 's', secret: { secretName: 's', items: [{ key: 'a', path: 'b' }] } },
      { name: 'p', projected: { sources: [{ secret: { name: 'x' } }] } },
      { name: 'd', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'h', hostPath: { path: '/x' } },
      { name: 'n', nfs: { server: 's', path: '/p' } },
      { name: 'w', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { name: 'z', csi: { driver: 'd', volumeAttributes: { a: 'b' }, nodePublishSecretRef: { name: 'r' } } },
      {
        name: 'e',
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              selector: { matchLabels: { a: 'b' } },
            },
          },
        },
      },
    ],
  },
};

/** Valid objects of the built-in kinds, by the collection that takes them. */
export const manifests: readonly [collection: string, apiVersion: string, kind: string, content: JsonObject][] = [
  ['/api/v1/namespaces/default/pods', 'v1', 'Pod', podTemplate],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    'apps/v1',
    'Deployment',
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
        template: podTemplate,
      },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    'apps/v1',
    'StatefulSet',
    {
      spec: {
        serviceName: 'x',
        selector: { matchLabels: { a: 'b' } },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' },
        ordinals: { start: 0 },
        template: podTemplate,
        volumeClaimTemplates: [
          {
            metadata: { name: 'q' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/daemonsets',
    'apps/v1',
    'DaemonSet',
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
        template: podTemplate,
      },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/replicasets',
    'apps/v1',
    'ReplicaSet',
    { spec: { selector: { matchLabels: { a: 'b' } }, template: podTemplate } },
  ],
  [
    '/apis/batch/v1/namespaces/default/jobs',
    'batch/v1',
    'Job',
    {
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] },
        successPolicy: { rules: [{ succeededCount: 1 }] },
        completionMode: 'Indexed',
        completions: 1,
      },
    },
  ],
  [
    '/api/v1/namespaces/default/services',
    'v1',
    'Service',
    {
      spec: {
        type: 'LoadBalancer',
        selector: { a: 'b' },
        ports: [
          { port: 80, name: 'x', targetPort: 'http' },
          { port: 80, protocol: 'UDP', name: 'y' },
        ],
        externalIPs: ['1.2.3.4'],
        loadBalancerSourceRanges: ['1.0.0.0/8'],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
        ipFamilies: ['IPv4'],
      },
    },
  ],
  [
    '/api/v1/namespaces/default/serviceaccounts',
    'v1',
    'ServiceAccount',
    { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false },
  ],
  [
    '/api/v1/namespaces/default/configmaps',
    'v1',
    'ConfigMap',
    { data: { a: '1' }, binaryData: { b: 'MQ==' }, immutable: false },
  ],
  [
    '/api/v1/namespaces/default/secrets',
    'v1',
    'Secret',
    { data: { a: 'MQ==' }, stringData: { b: 'x' }, type: 'Opaque' },
  ],
  [
    '/api/v1/namespaces/default/persistentvolumeclaims',
    'v1',
    'PersistentVolumeClaim',
    {
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Filesystem',
        storageClassName: 'x',
        resources: { requests: { storage: '1Gi' } },
        selector: { matchLabels: { a: 'b' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'q' },
      },
    },
  ],
  ['/api/v1/namespaces', 'v1', 'Namespace', { metadata: { labels: { a: 'b' } } }],
  [
    '/api/v1/namespaces/default/resourcequotas',
    'v1',
    'ResourceQuota',
    { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } },
  ],
  [
    '/api/v1/namespaces/default/events',
    'v1',
    'Event',
    {
      metadata: { namespace: 'default' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      message: 'm',
      source: { component: 'c' },
      type: 'Normal',
      count: 1,
    },
  ],
  [
    '/apis/events.k8s.io/v1/namespaces/default/events',
    'events.k8s.io/v1',
    'Event',
    {
      metadata: { namespace: 'default' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      related: { kind: 'Pod', name: 'q', namespace: 'default' },
      reason: 'R',
      note: 'm',
      type: 'Normal',
      action: 'A',
      reportingController: 'c.x/y',
      reportingInstance: 'i',
      eventTime: '2026-01-01T00:00:00.000000Z',
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    },
  ],
  [
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    'coordination.k8s.io/v1',
    'Lease',
    { spec: { holderIdentity: 'h', leaseDurationSeconds: 5 } },
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    'networking.k8s.io/v1',
    'NetworkPolicy',
    {
      spec: {
        podSelector: { matchLabels: { a: 'b' } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }],
        egress: [{}],
      },
    },
  ],
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    'storage.k8s.io/v1',
    'StorageClass',
    {
      provisioner: 'p',
      parameters: { a: 'b' },
      mountOptions: ['o'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: ['v'] }] }],
    },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    'rbac.authorization.k8s.io/v1',
    'Role',
    { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
    },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
    },
  ],
  [
    '/api/v1/persistentvolumes',
    'v1',
    'PersistentVolume',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/x' },
        claimRef: { name: 'c', namespace: 'default' },
        mountOptions: ['o'],
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }] } },
      },
    },
  ],
  [
    '/api/v1/nodes',
    'v1',
    'Node',
    { spec: { podCIDRs: ['10.0.0.0/24'], podCIDR: '10.0.0.0/24', taints: [{ key: 'k', effect: 'NoSchedule' }] } },
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    {
      metadata: { name: 'xs.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Cluster',
        names: { plural: 'xs', kind: 'X', shortNames: ['x'], categories: ['all'], singular: 'x', listKind: 'XList' },
        conversion: { strategy: 'None' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  ],
];
