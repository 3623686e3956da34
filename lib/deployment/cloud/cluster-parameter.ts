import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { FaultsError } from '../../core/errors.ts';
import type { Parameter } from '../../ports/parameter-store.ts';
import { didYouMean } from '../suggestion/closest-word.ts';

/** The connection to one cluster of a deployment, as its parameter describes it. Has no secret. */
export interface ClusterParameter {
  /** The last part of the parameter's name. It is part of every key in the table, so never change it. */
  readonly name: string;
  /** `https://host[:port]` */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly tlsServerName?: string;
  readonly auth:
    | { readonly type: 'eks'; readonly clusterName: string; readonly region: string }
    /** A service account token for each identity, in the secret of clusterTokenSecret. */
    | { readonly type: 'token' };
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;
const EXAMPLE = '{"server": "https://host", "certificateAuthority": "LS0tLS1...", "auth": {"type": "token"}}';

const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('token') }),
  z.strictObject({
    type: z.literal('eks'),
    clusterName: z.string().regex(/^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/, 'is no name of an EKS cluster'),
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is no AWS region')
      .optional(),
  }),
]);

const parameterSchema = z.strictObject({
  server: z.string().refine((text) => URL.canParse(text), 'is no URL; give one such as https://host:443'),
  certificateAuthority: z.string().transform((text, context) => {
    const pem = pemOf(text);
    if (pem !== undefined) return pem;
    context.addIssue({
      code: 'custom',
      message: "is neither PEM nor base64 of it; give the kubeconfig's certificate-authority-data",
    });
    return z.NEVER;
  }),
  tlsServerName: z.string().min(1).max(253).optional(),
  auth: authSchema,
});

/** A cluster's parameter was refused. The message names the parameter and each wrong field. */
export class ClusterParameterError extends FaultsError {
  constructor(parameter: string, faults: readonly string[]) {
    const placed = faults.map((fault) => `parameter ${parameter}: ${fault}`);
    super('INVALID_CLUSTER_PARAMETER', placed, { data: { parameter } });
  }
}

/** The name of the cluster in the deployment. */
export function clusterNameOf({ name }: Pick<Parameter, 'name'>): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Parses a cluster's parameter, a JSON object.
 * @param region the region of the deployment. An EKS cluster is in this region unless its parameter names another one.
 * @throws ClusterParameterError
 */
export function parseClusterParameter(parameter: Parameter, region: string): ClusterParameter {
  const name = clusterNameOf(parameter);
  if (!NAME.test(name)) {
    throw new ClusterParameterError(parameter.name, [
      `"${name}" cannot name a cluster. Use 1 to 40 lower-case letters, digits and dashes, not at the ends.`,
    ]);
  }
  let json: unknown;
  try {
    json = JSON.parse(parameter.value);
  } catch {
    throw new ClusterParameterError(parameter.name, [`its value is not JSON. Write it like ${EXAMPLE}.`]);
  }
  const parsed = parameterSchema.safeParse(json);
  if (!parsed.success) {
    throw new ClusterParameterError(
      parameter.name,
      parsed.error.issues.flatMap((issue) => faultsOf(issue, json)),
    );
  }
  const { server, certificateAuthority, tlsServerName, auth } = parsed.data;
  return {
    name,
    server,
    certificateAuthority,
    ...(tlsServerName !== undefined && { tlsServerName }),
    auth: auth.type === 'eks' ? { ...auth, region: auth.region ?? region } : auth,
  };
}

function faultsOf(issue: z.core.$ZodIssue, json: unknown): string[] {
  const field = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = field === 'auth' ? ['type', 'clusterName', 'region'] : Object.keys(parameterSchema.shape);
    const at = field === '' ? '' : `${field}.`;
    return issue.keys.map((key) => `${at}${key}: there is no such field.${didYouMean(key, known)}`);
  }
  if (field === '') return [`its value is no JSON object. Write it like ${EXAMPLE}.`];
  if (valueAt(json, issue.path) === undefined) return [`${field}: it is missing.`];
  if (field === 'auth.type') return ['auth.type: it must be "eks" or "token".'];
  return [`${field}: it ${issue.code === 'invalid_type' ? 'has the wrong type' : issue.message.replace(/\.$/, '')}.`];
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined,
    json,
  );
}

function pemOf(text: string): string | undefined {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    return undefined;
  }
}
