import type { SettingMistake } from '../group.ts';
import type { Section } from './settings-section.ts';

/**
 * Finds settings that permit clients in the realm of evenkeel's own service account, which no Gateway gets. Some
 * databases of Keycloak compare names without regard to case.
 */
export function ownRealmMistakes({ identity }: Section): SettingMistake[] {
  if (identity === undefined) return [];
  const own = identity.realm.toLowerCase();
  const message = `${identity.realm} is the realm of evenkeel's own service account (identity.realm), in which no Gateway gets a client. Leave it out`;
  return identity.realms.flatMap(({ realms }, index) =>
    realms.flatMap((written, place) =>
      written.toLowerCase() === own ? [{ path: ['identity', 'realms', index, 'realms', place], message, written }] : [],
    ),
  );
}
