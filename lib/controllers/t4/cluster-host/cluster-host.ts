import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import type { Observation } from '../../../kit/observation.ts';
import { type Parsed, parseSpec } from '../../../kit/parse-spec.ts';
import { fields, objectName, pattern, profileName, text } from '../spec-schema.ts';

const MAX_PROFILES = 16;
const MAX_ORIGINS = 32;

const PORT = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const httpsOrigin = pattern(
  new RegExp(`^https://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:${PORT})?$`),
  268,
  'an https origin without path, query or userinfo',
);

/** `x-kubernetes-list-type: set`. */
function setOf(item: z.ZodType<string>, min: number, max: number) {
  const error = `must be a list of ${min} to ${max} entries`;
  return z
    .array(item, { error })
    .min(min, { error })
    .max(max, { error })
    .refine((entries) => new Set(entries).size === entries.length, { error: 'has an entry twice' });
}

const reference = fields({ name: objectName });

const clusterHostSchema = fields({
  storageClassName: objectName,
  runtimeProfiles: setOf(profileName, 1, MAX_PROFILES),
  ciProvider: fields({
    configMapRef: reference,
    secretRef: reference.optional(),
    serviceAccountAudience: text(1, 256).optional(),
  })
    .refine(
      ({ secretRef, serviceAccountAudience }) => (secretRef === undefined) !== (serviceAccountAudience === undefined),
      {
        error: 'must have exactly one of secretRef and serviceAccountAudience',
      },
    )
    .optional(),
  allowedOrigins: setOf(httpsOrigin, 0, MAX_ORIGINS).optional(),
});

export type ClusterHostSpec = z.output<typeof clusterHostSchema>;

export function parseClusterHost(object: KubeObject): Parsed<ClusterHostSpec> {
  return parseSpec(clusterHostSchema, object);
}

/**
 * The part of a host that sessions use; undefined when the host could not be read, is absent, or its specification is
 * invalid.
 */
export function offeredBy(host: Observation<KubeObject>): ClusterHostSpec | undefined {
  const parsed = host.type === 'found' ? parseClusterHost(host.value) : undefined;
  return parsed?.valid === true ? parsed.spec : undefined;
}
