import { z } from 'zod';
import type { KubeObject } from '../../../core/kube-object.ts';
import { parseSpec } from '../../../kit/parse-spec.ts';
import { type Owner, ownerOf } from '../ownership.ts';

const IMAGE =
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+(:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?(@sha256:[0-9a-f]{64})?$/;
const DNS_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const REALM = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const ROLE = /^[A-Za-z0-9]([-A-Za-z0-9_.:]*[A-Za-z0-9])?$/;

const text = (pattern: RegExp, maxLength: number, kind: string) =>
  z
    .string(`must be ${kind}`)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(pattern, `must be ${kind}`);
const set = (entry: z.ZodString) =>
  z
    .array(entry, 'must be a list')
    .max(16, 'must have at most 16 entries')
    .refine((entries) => new Set(entries).size === entries.length, 'must name each entry once')
    .default([]);
const dnsName = text(DNS_NAME, 253, 'a DNS name in lower case');

/** The rules of the CRD's schema, for a specification that is invalid although it was admitted. */
const gatewaySpec = z.object({
  image: text(IMAGE, 512, 'an image as in registry.example/gateway:1.4'),
  databaseRef: z.object({ name: text(OBJECT_NAME, 253, 'the name of a ManagedDatabase') }, 'is missing: add it'),
  serverDnsNames: set(dnsName),
  replicas: z.int('must be a whole number').min(0, 'must be 0 to 10').max(10, 'must be 0 to 10').default(1),
  route: z
    .object(
      { host: dnsName.optional(), enabled: z.boolean('must be true or false').default(true) },
      'must be an object',
    )
    .refine(({ host, enabled }) => !enabled || host !== undefined, 'needs a host; name it, or set enabled to false')
    .optional(),
  identity: z
    .object(
      { realm: text(REALM, 64, 'the name of a realm'), roles: set(text(ROLE, 64, 'the name of a role')) },
      'must be an object',
    )
    .optional(),
  adoption: z.enum(['Never', 'IfUnowned'], 'must be Never or IfUnowned').default('Never'),
});

/** A Gateway with a valid specification. */
export interface Gateway {
  readonly owner: Owner;
  readonly image: string;
  readonly databaseName: string;
  readonly serverDnsNames: readonly string[];
  readonly replicas: number;
  /** The host of the requested route. */
  readonly routeHost: string | undefined;
  readonly identity: { readonly realm: string; readonly roles: readonly string[] } | undefined;
  readonly adopt: boolean;
}

export type ParsedGateway =
  | { readonly valid: true; readonly gateway: Gateway }
  | { readonly valid: false; readonly message: string };

/** Never throws. */
export function parseGateway(object: KubeObject): ParsedGateway {
  const parsed = parseSpec(gatewaySpec, object);
  if (!parsed.valid) return parsed;
  const { image, databaseRef, serverDnsNames, replicas, route, identity, adoption } = parsed.spec;
  const gateway = {
    owner: ownerOf(object),
    image,
    databaseName: databaseRef.name,
    serverDnsNames,
    replicas,
    routeHost: route?.enabled === true ? route.host : undefined,
    identity,
    adopt: adoption === 'IfUnowned',
  };
  return { valid: true, gateway };
}
