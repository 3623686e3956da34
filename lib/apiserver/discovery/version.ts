import type { JsonObject } from '../json.ts';

/** The Kubernetes version whose behaviour the server follows. */
export const kubernetesVersion = 'v1.37.2';

/** The answer of `/version`. */
export const versionInfo: JsonObject = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: `${kubernetesVersion}+evenkeel`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'embedded',
};
