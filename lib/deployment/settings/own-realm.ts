import type { z } from 'zod';
import type { Settings } from './settings-schema.ts';

/**
 * Where settings permit clients in the realm of evenkeel's own service account, which no Gateway gets. Refused in what a
 * person writes, and not by the schema: settings of an older release, which are deployed already, may say so. Some databases of
 * Keycloak compare names without regard to case.
 */
export function ownRealmIssues(settings: Settings): z.core.$ZodIssue[] {
  const identity = settings.groups['control-plane']?.identity;
  if (identity === undefined) return [];
  const own = identity.realm.toLowerCase();
  const message = `${identity.realm} is the realm of evenkeel's own service account (identity.realm), in which no Gateway gets a client. Leave it out`;
  return identity.realms.flatMap(({ realms }, index) =>
    realms.flatMap((name, place) => {
      const path = ['groups', 'control-plane', 'identity', 'realms', index, 'realms', place];
      return name.toLowerCase() === own ? [{ code: 'custom' as const, path, message, input: name }] : [];
    }),
  );
}
