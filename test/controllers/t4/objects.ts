import type { T4Settings } from '../../../lib/controllers/t4/settings.ts';

export const IMAGE = `registry.example/t4/runtime@sha256:${'ab'.repeat(32)}`;

export const SETTINGS = {
  runtimeImage: IMAGE,
  omp: {
    configMap: { name: 'omp-config', modelsKey: 'models.yml', settingsKey: 'settings.yml' },
    secret: { name: 'omp-credentials', keys: ['token', 'second'] },
  },
} as const satisfies T4Settings;

/** The installation's key for comparing content. */
export const DIGEST_KEY = '0123456789abcdef0123456789abcdef';

export const MODELS = `providers:
  local:
    baseUrl: http://models.svc:8080/v1
    auth: none
    models: [{ id: small, maxTokens: 8192 }]
`;
export const OMP_SETTINGS = 'theme: dark\ntelemetry: false\n';

export const SECRET_VALUES = { token: 'hunter2-token', second: 'hunter2-second' };

export function hostSpec(storageClassName: string, changes: Record<string, unknown> = {}) {
  return { storageClassName, runtimeProfiles: ['small', 'large'], ...changes };
}

export function workspaceSpec(changes: Record<string, unknown> = {}) {
  return { hostRef: 'host', displayName: 'Demo', owner: 'ada', size: '10Gi', retentionPolicy: 'Delete', ...changes };
}

export function sessionSpec(changes: Record<string, unknown> = {}) {
  return { hostRef: 'host', workspaceRef: 'ws', title: 'Fix it', runtimeProfile: 'small', ...changes };
}
