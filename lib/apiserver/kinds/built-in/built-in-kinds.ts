import type { ResourceType } from '../../state/resource-type.ts';
import { accessTypes, serviceAccountType } from './access.ts';
import { leaseType, nodeType } from './cluster.ts';
import { configMapType, secretType } from './configuration.ts';
import { customResourceDefinitionType } from './custom-resource-definition.ts';
import { coreEventType, eventType } from './event.ts';
import { namespaceType } from './namespace.ts';
import { networkPolicyType } from './network-policy.ts';
import { podType } from './pod.ts';
import { reviewTypes } from './reviews.ts';
import { serviceType } from './service.ts';
import { persistentVolumeClaimType, persistentVolumeType, storageClassType } from './volumes.ts';
import { deploymentType, replicaSetType } from './workloads.ts';

/** All built-in kinds of the embedded server. Events have two views; the stored view comes first. */
export const builtInKinds: readonly ResourceType[] = [
  namespaceType,
  secretType,
  configMapType,
  serviceType,
  serviceAccountType,
  podType,
  persistentVolumeClaimType,
  persistentVolumeType,
  nodeType,
  coreEventType,
  eventType,
  deploymentType,
  replicaSetType,
  networkPolicyType,
  leaseType,
  storageClassType,
  ...accessTypes,
  ...reviewTypes,
  customResourceDefinitionType,
];
