import type { SchemaNode } from '../../schema/node.ts';
import { atomic, atomicMap, conditions, implicit, keyDefault, list, listMap, map, set, struct } from './shapes.ts';

const httpGet = struct({ httpHeaders: list });
const probe = struct({ exec: struct({ command: list }), httpGet, tcpSocket: struct({}), grpc: struct({}) });
const handler = struct({ exec: struct({ command: list }), httpGet, tcpSocket: struct({}), sleep: struct({}) });
const resources = struct({ limits: map, requests: map, claims: listMap(['name'], struct({})) });

const container = struct({
  args: list,
  command: list,
  env: listMap(
    ['name'],
    struct({
      valueFrom: struct({
        configMapKeyRef: atomic,
        fieldRef: atomic,
        resourceFieldRef: atomic,
        secretKeyRef: atomic,
        fileKeyRef: atomic,
      }),
    }),
  ),
  envFrom: list,
  lifecycle: struct({ postStart: handler, preStop: handler }),
  livenessProbe: probe,
  ports: listMap(['containerPort', 'protocol'], struct({ protocol: keyDefault('TCP') })),
  readinessProbe: probe,
  resizePolicy: list,
  resources,
  securityContext: struct({
    appArmorProfile: struct({}),
    capabilities: struct({ add: list, drop: list }),
    seLinuxOptions: struct({}),
    seccompProfile: struct({}),
    windowsOptions: struct({}),
  }),
  startupProbe: probe,
  volumeDevices: listMap(['devicePath'], struct({})),
  volumeMounts: listMap(['mountPath'], struct({})),
});

const podAffinity = struct({
  preferredDuringSchedulingIgnoredDuringExecution: list,
  requiredDuringSchedulingIgnoredDuringExecution: list,
});

const claimSpec = struct({
  accessModes: list,
  dataSource: atomic,
  dataSourceRef: struct({}),
  resources: implicit(struct({ limits: map, requests: map })),
  selector: atomic,
});

const volume = struct({
  configMap: struct({ items: list }),
  csi: struct({ nodePublishSecretRef: atomic, volumeAttributes: map }),
  downwardAPI: struct({ items: list }),
  emptyDir: struct({}),
  ephemeral: struct({
    volumeClaimTemplate: struct({ metadata: struct({ labels: map, annotations: map }), spec: claimSpec }),
  }),
  hostPath: struct({}),
  image: struct({}),
  nfs: struct({}),
  persistentVolumeClaim: struct({}),
  projected: struct({ sources: list }),
  secret: struct({ items: list }),
});

/** core/v1 PodSpec. */
export const podSpec: SchemaNode = implicit(
  struct({
    affinity: struct({
      nodeAffinity: struct({
        preferredDuringSchedulingIgnoredDuringExecution: list,
        requiredDuringSchedulingIgnoredDuringExecution: atomic,
      }),
      podAffinity,
      podAntiAffinity: podAffinity,
    }),
    containers: implicit(listMap(['name'], container)),
    dnsConfig: struct({ nameservers: list, options: list, searches: list }),
    ephemeralContainers: listMap(['name'], container),
    hostAliases: listMap(['ip'], struct({ hostnames: list })),
    imagePullSecrets: listMap(['name'], atomic),
    initContainers: listMap(['name'], container),
    nodeSelector: atomicMap,
    os: struct({}),
    overhead: map,
    readinessGates: list,
    resourceClaims: listMap(['name'], struct({})),
    resources,
    schedulingGates: listMap(['name'], struct({})),
    securityContext: struct({
      appArmorProfile: struct({}),
      seLinuxOptions: struct({}),
      seccompProfile: struct({}),
      supplementalGroups: list,
      sysctls: list,
      windowsOptions: struct({}),
    }),
    tolerations: list,
    topologySpreadConstraints: listMap(
      ['topologyKey', 'whenUnsatisfiable'],
      struct({ labelSelector: atomic, matchLabelKeys: list, nodeAffinityPolicy: struct({}) }),
    ),
    volumes: listMap(['name'], volume),
  }),
);

/** core/v1 PodTemplateSpec; its metadata merges as that of an object. */
export const podTemplate: SchemaNode = implicit(
  struct({ metadata: implicit(struct({ labels: map, annotations: map, finalizers: set })), spec: podSpec }),
);

export const podStatus: SchemaNode = struct({
  conditions,
  containerStatuses: list,
  ephemeralContainerStatuses: list,
  hostIPs: list,
  initContainerStatuses: list,
  podIPs: listMap(['ip'], struct({})),
  resourceClaimStatuses: listMap(['name'], struct({})),
});

/** core/v1 PersistentVolumeClaimSpec. */
export const persistentVolumeClaimSpec: SchemaNode = implicit(claimSpec);
