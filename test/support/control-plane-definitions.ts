import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

function definitionsIn(folder: string, wanted: (file: string) => boolean): object[] {
  const url = new URL(folder, import.meta.url);
  return readdirSync(url)
    .filter(wanted)
    .sort()
    .map((file) => parse(readFileSync(new URL(file, url), 'utf8')) as object);
}

/** The CRDs of the control plane. */
export const CONTROL_PLANE_DEFINITIONS: readonly object[] = definitionsIn('../../infra/kubernetes/crds/', (file) =>
  file.endsWith('.hypershell.evenkeel.dev.yaml'),
);

/** The CRDs of CloudNativePG and the Gateway API that the control plane uses. */
export const PROVIDER_DEFINITIONS: readonly object[] = definitionsIn('definitions/', () => true);
