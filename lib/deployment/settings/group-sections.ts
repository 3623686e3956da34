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
        about:
          "Contracts with `mutation: Annotate` may roll out their workload when the Secret's content changed. Off: none may.",
        allowed: 'true or false',
        example: 'true',
      }),
      digestKeyFile: noted(z.string().min(1).optional(), {
        about:
          'A file with the key that content is compared by, here and by group t4, 16 bytes at least. Left out: one is made in the state directory.',
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
    about: 'The image that sessions run. Left out: no session starts (RuntimeImageMissing on each).',
    allowed: 'an image with its digest, `repository@sha256:<64 hex digits>`',
    example: `registry.example/t4/runtime@sha256:${'0'.repeat(64)}`,
  }),
  omp: z
    .strictObject({
      configMap: z.strictObject({
        name: objectName(
          'The ConfigMap with the models and settings documents, in each session namespace.',
          'omp-config',
        ),
        modelsKey: dataKey('Its key of the models document.', 'models.yml'),
        settingsKey: dataKey('Its key of the settings document.', 'settings.yml'),
      }),
      secret: z.strictObject({
        name: objectName('The Secret with the credentials, in each session namespace.', 'omp-credentials'),
        keys: noted(z.array(z.string().regex(DATA_KEY)).min(1).max(64), {
          about: 'The keys that must exist and be non-empty.',
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
const HOSTS = 'Hosts are names, or `*.suffix` for all names below the suffix. A namespace is named, or `*` for all.';

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
    about: `Which namespaces may have clients in which realms, and to which hosts those send users back. What is not named here is refused: without any, no Gateway gets a client. ${HOSTS} The realm of the service account itself is always refused.`,
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
    about: `Which namespaces may have routes of which hosts. What is not named here is refused: without any, no Gateway gets a route. ${HOSTS}`,
    allowed: 'a list of sections with namespaces and hosts',
    example: "[{namespaces: [team-a], hosts: ['*.team-a.example.org']}]",
  },
);

const controlPlaneSection = z.strictObject({
  parentGateway: z
    .strictObject({
      namespace: objectNamespace(
        'The namespace of the Gateway (of the Gateway API) that all routes attach to.',
        'edge',
      ),
      name: objectName(
        'Its name. Without parentGateway a Gateway that asks for a route says RouteNotConfigured.',
        'public',
      ),
      sectionName: objectName('The listener of it. Left out: all that admit the route.', 'https').optional(),
    })
    .optional(),
  routes: routePermissions,
  identity: z
    .strictObject({
      server: noted(z.string().max(512).refine(isServerAddress, { message: 'is not such an address' }), {
        about:
          'The Keycloak that clients are made on. Without identity a Gateway that asks for one says IdentityNotConfigured; `evenkeel start` has a stand-in then.',
        allowed: 'an https address without query and without slash at its end; http on loopback',
        example: 'https://id.example.org',
      }),
      realm: noted(z.string().regex(REALM).prefault('master'), {
        about: "The realm of evenkeel's own service account.",
        allowed: 'letters, digits, dots, dashes and underscores',
        example: 'master',
      }),
      clientId: noted(z.string().min(1).max(255).prefault('evenkeel'), {
        about:
          'The confidential client of that service account. It needs manage-clients in every realm that Gateways name.',
        allowed: "a client's id",
        example: 'evenkeel',
      }),
      clientSecretFile: noted(z.string().min(1).optional(), {
        about: 'A file with its secret. A cloud deployment reads it from Secrets Manager instead.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/identity-secret',
      }),
      ca: noted(z.string().max(16_384).regex(CERTIFICATES).optional(), {
        about:
          "The server's certificate authorities, where it has private ones. They alone are trusted then. Left out: those of the machine.",
        allowed: 'one or more certificates in PEM',
        example: '"-----BEGIN CERTIFICATE-----\\nMIIB...\\n-----END CERTIFICATE-----\\n"',
      }),
      caFile: noted(z.string().min(1).optional(), {
        about:
          'A file with such certificates, besides `ca`. A cloud deployment has no files: write them in `ca` there.',
        allowed: 'the path of a file',
        example: '/etc/evenkeel/identity-ca.pem',
      }),
      realms: realmPermissions,
      check: durationField({
        about: 'How often a client is looked at again, since no event tells of its changes.',
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
