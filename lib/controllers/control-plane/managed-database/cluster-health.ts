import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';

export interface ClusterHealth {
  readonly ready: boolean;
  readonly readyInstances: number;
  readonly instances: number;
  /** The value in the Cluster's present spec. */
  readonly size: string | undefined;
}

/** The fields of CloudNativePG's ClusterStatus that show whether the Cluster is ready. */
const clusterSchema = z.object({
  spec: z
    .object({ instances: z.number().optional(), storage: z.object({ size: z.string().optional() }).optional() })
    .optional()
    .catch(undefined),
  status: z
    .object({
      readyInstances: z.number().default(0).catch(0),
      conditions: z
        .array(z.object({ type: z.string(), status: z.string() }))
        .default([])
        .catch([]),
    })
    .optional()
    .catch(undefined),
});

export function clusterHealth(cluster: KubeObject): ClusterHealth {
  const { spec, status } = clusterSchema.parse(cluster);
  const isReady = status?.conditions.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
  const readyInstances = status?.readyInstances ?? 0;
  return {
    ready: isReady && readyInstances > 0,
    readyInstances,
    instances: spec?.instances ?? 1,
    size: spec?.storage?.size,
  };
}
