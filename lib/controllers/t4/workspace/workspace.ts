import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import { quantityNanos } from '../../../core/quantity.ts';
import { type Parsed, parseSpec } from '../../../kit/parse-spec.ts';
import { commit, fields, referenceName, repositoryText, text } from '../spec-schema.ts';

const SIZE_ERROR = 'must be a quantity above zero, such as 20Gi';

const workspaceSchema = fields({
  hostRef: referenceName,
  displayName: text(1, 128),
  owner: text(1, 256),
  repository: fields({ repositoryId: repositoryText, ref: repositoryText.optional(), commit: commit.optional() })
    .refine(({ ref, commit }) => commit === undefined || ref !== undefined, {
      error: 'has a commit, which needs a ref',
    })
    .optional(),
  size: z.string({ error: SIZE_ERROR }).refine((size) => (quantityNanos(size) ?? 0n) > 0n, { error: SIZE_ERROR }),
  retentionPolicy: z.enum(['Retain', 'Delete'], { error: 'must be Retain or Delete' }),
});

export type WorkspaceSpec = z.output<typeof workspaceSchema>;

export function parseWorkspace(object: KubeObject): Parsed<WorkspaceSpec> {
  return parseSpec(workspaceSchema, object);
}
