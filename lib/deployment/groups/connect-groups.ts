import type { ClientPorts } from '../../controllers/group.ts';
import { readText } from '../files/read-text.ts';
import type { InstalledGroup } from './installed-groups.ts';

export interface ConnectedGroups {
  /** The clients of each group, by the group's name. */
  readonly clients: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Creates the clients of the groups whose passes run in this process. */
export function connectGroups(
  groups: readonly InstalledGroup[],
  ports: Omit<ClientPorts, 'readText'>,
): ConnectedGroups {
  const connected = groups.flatMap(({ manifest, section }) => {
    const made = manifest.clients?.connect(section, { ...ports, readText });
    return made === undefined ? [] : [{ name: manifest.name, ...made }];
  });
  return {
    clients: Object.fromEntries(connected.map(({ name, clients }) => [name, clients])),
    close: async () => {
      await Promise.all(connected.map(({ close }) => close()));
    },
  };
}

/** Whether the embedded stack must run its stand-in for an identity server. */
export function needsStandIn(groups: readonly InstalledGroup[]): boolean {
  return groups.some(({ manifest, section }) => manifest.clients?.needsStandIn?.(section) === true);
}
