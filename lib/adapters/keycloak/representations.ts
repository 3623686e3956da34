import { z } from 'zod';
import type {
  ClientMapper,
  ClientRole,
  ClientScope,
  ClientSettings,
  FoundClient,
  FoundMapper,
  ScopeMapping,
} from '../../ports/identity-provider.ts';

/**
 * The parts of Keycloak's representations that are used: ClientRepresentation, ProtocolMapperRepresentation and
 * RoleRepresentation of its Admin REST API.
 */
const mapperSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  protocolMapper: z.string(),
  config: z.record(z.string(), z.string().nullable()).default({}),
});

const clientSchema = z.object({
  id: z.string().min(1),
  clientId: z.string().min(1),
  enabled: z.boolean().default(false),
  publicClient: z.boolean().default(false),
  standardFlowEnabled: z.boolean().default(false),
  implicitFlowEnabled: z.boolean().default(false),
  directAccessGrantsEnabled: z.boolean().default(false),
  serviceAccountsEnabled: z.boolean().default(false),
  // A missing field counts as the wider permission.
  fullScopeAllowed: z.boolean().default(true),
  redirectUris: z.array(z.string()).default([]),
  attributes: z.record(z.string(), z.string().nullable()).default({}),
  protocolMappers: z.array(mapperSchema).default([]),
  defaultClientScopes: z.array(z.string()).default([]),
  optionalClientScopes: z.array(z.string()).default([]),
});

export const clientsSchema = z.array(clientSchema);

export const rolesSchema = z.array(
  z.object({ name: z.string(), attributes: z.record(z.string(), z.array(z.string())).default({}) }),
);

export const scopesSchema = z.array(z.object({ id: z.string().min(1), name: z.string() }));

/** MappingsRepresentation: the roles of the realm, and those of other clients by their client ids. */
export const scopeMappingsSchema = z.object({
  realmMappings: z.array(z.unknown()).default([]),
  clientMappings: z.record(z.string(), z.object({ id: z.string().min(1), mappings: z.array(z.unknown()) })).default({}),
});

export function toScope({ id, name }: z.infer<typeof scopesSchema>[number]): ClientScope {
  return { id, name };
}

export function toScopeMappings(found: z.infer<typeof scopeMappingsSchema>): ScopeMapping[] {
  const ofClients = Object.values(found.clientMappings).filter(({ mappings }) => mappings.length > 0);
  return [
    ...(found.realmMappings.length > 0 ? [{ of: 'realm' } as const] : []),
    ...ofClients.map(({ id }): ScopeMapping => ({ of: 'client', id })),
  ];
}

export function toClient(found: z.infer<typeof clientSchema>): FoundClient {
  return {
    id: found.id,
    clientId: found.clientId,
    enabled: found.enabled,
    publicClient: found.publicClient,
    standardFlow: found.standardFlowEnabled,
    implicitFlow: found.implicitFlowEnabled,
    directAccessGrants: found.directAccessGrantsEnabled,
    serviceAccounts: found.serviceAccountsEnabled,
    fullScope: found.fullScopeAllowed,
    redirectUris: found.redirectUris,
    attributes: withoutNulls(found.attributes),
    mappers: found.protocolMappers.map(
      ({ id, name, protocolMapper, config }): FoundMapper => ({
        id,
        name,
        mapper: protocolMapper,
        config: withoutNulls(config),
      }),
    ),
    defaultScopes: found.defaultClientScopes,
    optionalScopes: found.optionalClientScopes,
  };
}

/** Fields that are left out of an update stay as they are. */
export function settingsRepresentation(settings: ClientSettings): object {
  return {
    protocol: 'openid-connect',
    enabled: settings.enabled,
    publicClient: settings.publicClient,
    standardFlowEnabled: settings.standardFlow,
    implicitFlowEnabled: settings.implicitFlow,
    directAccessGrantsEnabled: settings.directAccessGrants,
    serviceAccountsEnabled: settings.serviceAccounts,
    fullScopeAllowed: settings.fullScope,
    redirectUris: settings.redirectUris,
    attributes: settings.attributes,
  };
}

export function mapperRepresentation(mapper: ClientMapper | FoundMapper): object {
  return {
    ...('id' in mapper ? { id: mapper.id } : {}),
    name: mapper.name,
    protocol: 'openid-connect',
    protocolMapper: mapper.mapper,
    config: mapper.config,
  };
}

/** Attributes of roles are lists in Keycloak; ours have one value each. */
export function roleRepresentation({ name, attributes }: ClientRole): object {
  return { name, attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, [value]])) };
}

export function toRole({ name, attributes }: z.infer<typeof rolesSchema>[number]): ClientRole {
  const single = Object.entries(attributes).flatMap(([key, [value]]) => (value === undefined ? [] : [[key, value]]));
  return { name, attributes: Object.fromEntries(single) };
}

function withoutNulls(values: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null));
}
