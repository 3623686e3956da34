import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';

/** The CRDs of the group, as they are shipped. */
export const T4_DEFINITIONS: readonly DesiredObject[] = ['t4clusterhosts', 't4workspaces', 't4sessions'].map(
  (plural) =>
    parse(
      readFileSync(new URL(`../../../infra/kubernetes/crds/${plural}.cluster.t4.dev.yaml`, import.meta.url), 'utf8'),
    ) as DesiredObject,
);
