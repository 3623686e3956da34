import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import { type Parsed, parseSpec } from '../../../kit/parse-spec.ts';
import { commit, fields, profileName, referenceName, repositoryText, text } from '../spec-schema.ts';

const sessionSchema = fields({
  hostRef: referenceName,
  workspaceRef: referenceName,
  title: text(1, 128),
  runtimeProfile: profileName,
  initialPromptSecretRef: fields({ name: referenceName }).optional(),
  guiEnabled: z.boolean({ error: 'must be true or false' }).default(false),
  ci: fields({ repositoryId: repositoryText.optional(), ref: repositoryText.optional(), commit: commit.optional() })
    .refine((ci) => [0, 3].includes([ci.repositoryId, ci.ref, ci.commit].filter((each) => each !== undefined).length), {
      error: 'must have all of repositoryId, ref and commit, or none of them',
    })
    .optional(),
});

export type SessionSpec = z.output<typeof sessionSchema>;

export function parseSession(object: KubeObject): Parsed<SessionSpec> {
  return parseSpec(sessionSchema, object);
}
