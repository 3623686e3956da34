import { z } from 'zod';
import { durationField } from './duration-field.ts';
import { noted } from './field-note.ts';

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const REALM = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,62}[A-Za-z0-9])?$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const DIGEST_IMAGE = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

const secretContractSection = z.strictObject({
  mutation: z
    .strictObject({
      allow: noted(z.boolean().prefault(false), {
        about: "Lets contracts with `mutation: Annotate` roll out their workload when the Secret's content changes.",
        allowed: 'true or false',
        example: 'true',
      }),
      digestKeyFile: noted(z.string().min(1).optional(), {
        about:
          'File with the key of the digests by which content is compared, here and in group t4; at least 16 bytes. Default: a key is made in the state directory.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/digest-key',
      }),
    })
    .prefault({}),
});

const objectName = (about: string, example: string) =>
  noted(z.string().regex(OBJECT_NAME), { about, allowed: "a Kubernetes object's name", example });
const dataKey = (about: string, example: string) =>
  noted(z.string().regex(DATA_KEY), { about, allowed: 'letters, digits, dots, dashes and underscores', example });

const t4Section = z.strictObject({
  runtimeImage: noted(z.string().regex(DIGEST_IMAGE).optional(), {
    about: 'Image that sessions run. Without it no session starts (reason RuntimeImageMissing).',
    allowed: 'an image with its digest, `repository@sha256:<64 hex digits>`',
    example: `registry.example/t4/runtime@sha256:${'0'.repeat(64)}`,
  }),
  omp: z
    .strictObject({
      configMap: z.strictObject({
        name: objectName('ConfigMap with the models and settings documents, in each session namespace.', 'omp-config'),
        modelsKey: dataKey('Key of the models document in it.', 'models.yml'),
        settingsKey: dataKey('Key of the settings document in it.', 'settings.yml'),
      }),
      secret: z.strictObject({
        name: objectName('Secret with the credentials, in each session namespace.', 'omp-credentials'),
        keys: noted(z.array(z.string().regex(DATA_KEY)).min(1).max(64), {
          about: 'Keys that must exist and have a value.',
          allowed: 'a list of 1 to 64 keys',
          example: '[token]',
        }),
      }),
    })
    .optional(),
});

const objectNamespace = (about: string, example: string) =>
  noted(z.string().regex(NAMESPACE), { about, allowed: 'a namespace', example });

const CERTIFICATES = /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s.]+-----END CERTIFICATE-----\s*)+$/;
const HOST_PATTERN = /^(\*\.)?([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const hostPatterns = z.array(z.string().max(255).regex(HOST_PATTERN)).max(100);
const namespacePatterns = z
  .array(z.union([z.literal('*'), z.string().regex(NAMESPACE)]))
  .min(1)
  .max(100);
const HOSTS = 'A host is a name, or `*.suffix` for all names below the suffix. A namespace is a name, or `*` for all.';

const realmPermissions = noted(
  z
    .array(
      z.strictObject({
        namespaces: namespacePatterns,
        realms: z.array(z.string().regex(REALM)).min(1).max(100),
        redirectHosts: hostPatterns,
      }),
    )
    .max(100)
    .prefault([]),
  {
    about: `Namespaces that may have clients, with the realms and the hosts of redirects. Anything else is refused: without an entry no Gateway gets a client. ${HOSTS} The realm of the service account is always refused.`,
    allowed: 'a list of sections with namespaces, realms and redirectHosts',
    example: "[{namespaces: [team-a], realms: [shop], redirectHosts: ['*.team-a.example.org']}]",
  },
);

const routePermissions = noted(
  z
    .array(z.strictObject({ namespaces: namespacePatterns, hosts: hostPatterns }))
    .max(100)
    .prefault([]),
  {
    about: `Namespaces that may have routes, with the hosts of the routes. Anything else is refused: without an entry no Gateway gets a route. ${HOSTS}`,
    allowed: 'a list of sections with namespaces and hosts',
    example: "[{namespaces: [team-a], hosts: ['*.team-a.example.org']}]",
  },
);

const controlPlaneSection = z.strictObject({
  parentGateway: z
    .strictObject({
      namespace: objectNamespace('Namespace of the Gateway (of the Gateway API) that all routes attach to.', 'edge'),
      name: objectName(
        'Name of that Gateway. Without parentGateway, a Gateway with a route has the reason RouteNotConfigured.',
        'public',
      ),
      sectionName: objectName(
        'Listener of that Gateway. Default: all listeners that accept the route.',
        'https',
      ).optional(),
    })
    .optional(),
  routes: routePermissions,
  identity: z
    .strictObject({
      server: noted(z.string().max(512).refine(isServerAddress, { message: 'is not such an address' }), {
        about:
          'Keycloak server for identity clients. Without identity, a Gateway with a client has the reason IdentityNotConfigured; `evenkeel start` then runs a stand-in.',
        allowed: 'an https address without query and without slash at its end; http on loopback',
        example: 'https://id.example.org',
      }),
      realm: noted(z.string().regex(REALM).prefault('master'), {
        about: "Realm of evenkeel's own service account.",
        allowed: 'letters, digits, dots, dashes and underscores',
        example: 'master',
      }),
      clientId: noted(z.string().min(1).max(255).prefault('evenkeel'), {
        about:
          'Confidential client of that service account. It needs manage-clients in every realm that Gateways name.',
        allowed: "a client's id",
        example: 'evenkeel',
      }),
      clientSecretFile: noted(z.string().min(1).optional(), {
        about: 'File with the secret of that client. A cloud deployment reads it from Secrets Manager instead.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/identity-secret',
      }),
      ca: noted(z.string().max(16_384).regex(CERTIFICATES).optional(), {
        about:
          'Private certificate authorities of the server; no others are trusted then. Default: those of the machine.',
        allowed: 'one or more certificates in PEM',
        example: '"-----BEGIN CERTIFICATE-----\\nMIIB...\\n-----END CERTIFICATE-----\\n"',
      }),
      caFile: noted(z.string().min(1).optional(), {
        about: 'File with more certificates, in addition to `ca`. A cloud deployment has no files: use `ca` there.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/identity-ca.pem',
      }),
      realms: realmPermissions,
      check: durationField({
        about: 'Interval in which each client is compared again, because no event reports its changes.',
        fallback: '10m',
        minMs: 10_000,
        maxMs: 24 * 3_600_000,
      }),
    })
    .optional(),
});

/** What credentials may be sent to: over TLS, or not over a network at all. */
function isServerAddress(text: string): boolean {
  if (!URL.canParse(text) || text.endsWith('/')) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback);
  return isSafe && username === '' && password === '' && search === '' && hash === '';
}

const groups = z.strictObject({
  'secret-contract': secretContractSection.optional(),
  'control-plane': controlPlaneSection.optional(),
  t4: t4Section.optional(),
});

/** The groups of this package, installed or not. */
export const GROUP_NAMES: readonly string[] = Object.keys(groups.shape);

/** A controller group is installed when its section is there; without `groups`, secret-contract alone is. */
export const groupsSection = groups.prefault({ 'secret-contract': {} });
