import type { ResourceType } from '../../../lib/core/resource-type.ts';

export const Widgets: ResourceType = {
  group: 'test.evenkeel.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export const Planets: ResourceType = { ...Widgets, plural: 'planets', kind: 'Planet', namespaced: false };

/** A widget in the form of a server's response. */
export function widget(fields: { name?: string; resourceVersion?: string; spec?: unknown } = {}) {
  const { name = 'blue', resourceVersion = '7', spec } = fields;
  return {
    apiVersion: 'test.evenkeel.dev/v1',
    kind: 'Widget',
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** A Status in the form of a server's response. */
export function status(code: number, reason: string, details: Record<string, unknown> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: 'TEXT-OF-THE-SERVER',
    reason,
    details,
    code,
  };
}
