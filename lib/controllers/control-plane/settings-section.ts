import { z } from 'zod';
import { durationField } from '../duration-field.ts';
import { noted } from '../field-note.ts';
import { NAMESPACE, namespaceField, objectNameField } from '../name-fields.ts';

const REALM = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,62}[A-Za-z0-9])?$/;
const CERTIFICATES = /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s.]+-----END CERTIFICATE-----\s*)+$/;
const HOST_PATTERN = /^(\*\.)?([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const hostPatterns = noted(z.array(z.string().max(255).regex(HOST_PATTERN)).max(100), {
  about: 'Hosts that a namespace may ask for.',
  allowed: 'a list of up to 100 host names, with `*.` before a suffix for all names below it',
  example: "['*.team-a.example.org']",
});
const namespacePatterns = noted(
  z
    .array(z.union([z.literal('*'), z.string().regex(NAMESPACE)]))
    .min(1)
    .max(100),
  {
    about: 'Who may ask for it.',
    allowed: 'a list of 1 to 100 namespaces, or `*` for all of them',
    example: '[team-a]',
  },
);
const realmNames = noted(z.array(z.string().regex(REALM)).min(1).max(100), {
  about: 'Realms that a namespace may ask for.',
  allowed: 'a list of 1 to 100 realms, without that of the service account',
  example: '[shop]',
});
const HOSTS = 'A host is a name, or `*.suffix` for all names below the suffix. A namespace is a name, or `*` for all.';

const realmPermissions = noted(
  z
    .array(
      z.strictObject({
        namespaces: namespacePatterns,
        realms: realmNames,
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

/** The settings of the group. */
export const section = z.strictObject({
  parentGateway: z
    .strictObject({
      namespace: namespaceField('Namespace of the Gateway (of the Gateway API) that all routes attach to.', 'edge'),
      name: objectNameField(
        'Name of that Gateway. Without parentGateway, a Gateway with a route has the reason RouteNotConfigured.',
        'public',
      ),
      sectionName: objectNameField(
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

export type Section = z.output<typeof section>;
export type IdentitySection = NonNullable<Section['identity']>;

/** Whether credentials may be sent to the address: over TLS, or only inside this machine. */
function isServerAddress(text: string): boolean {
  if (!URL.canParse(text) || text.endsWith('/')) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback);
  return isSafe && username === '' && password === '' && search === '' && hash === '';
}
