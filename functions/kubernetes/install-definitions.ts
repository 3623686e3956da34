import { EvenkeelError } from '../../lib/core/errors.ts';
import type { DesiredObject, KubeObject } from '../../lib/core/kube-object.ts';
import { CustomResourceDefinitions } from '../../lib/core/resource-type.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { type ClusterApi, isApiError } from '../../lib/ports/cluster-api.ts';

const FIELD_MANAGER = 'evenkeel-install';
const LOOK_AGAIN_MS = 100;
const ESTABLISH_LIMIT_MS = 30_000;

/** Installs the definitions or brings them up to date, and waits until they are served. */
export async function installDefinitions(
  api: ClusterApi,
  definitions: readonly DesiredObject[],
  clock: Clock,
  onInstalled: (installed: number) => void,
): Promise<void> {
  let installed = 0;
  for (const definition of definitions) {
    await installDefinition(api, definition);
    onInstalled(++installed);
  }
  const untilMs = clock.monotonic() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const faults = await definitionFaults(api, definitions);
    if (faults.length === 0) return;
    if (clock.monotonic() >= untilMs) throw notServed(faults, 'Look at their conditions with kubectl describe crd.');
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** @throws EvenkeelError DEFINITION_REFUSED */
async function installDefinition(api: ClusterApi, definition: DesiredObject): Promise<void> {
  const name = { namespace: '', name: definition.metadata.name };
  const body = { type: 'apply', patch: definition, force: true } as const;
  try {
    await api.patch(CustomResourceDefinitions, name, body, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isApiError(error, 'Invalid', 'BadRequest')) throw error;
    throw new EvenkeelError(
      'DEFINITION_REFUSED',
      `the API server takes the CRD ${name.name} for invalid. Why, tells kubectl apply --server-side --dry-run=server -f FILE, with that CRD in FILE.`,
      { cause: error },
    );
  }
}

/** @throws EvenkeelError DEFINITIONS_MISSING naming each definition that the cluster lacks or does not serve. */
export async function checkDefinitions(api: ClusterApi, definitions: readonly DesiredObject[]): Promise<void> {
  const faults = await definitionFaults(api, definitions);
  if (faults.length === 0) return;
  throw notServed(
    faults,
    'Nothing was changed. Install them with --install-crds, or with: kubectl apply --server-side -f infra/kubernetes/crds',
  );
}

function notServed(faults: readonly string[], advice: string): EvenkeelError {
  return new EvenkeelError(
    'DEFINITIONS_MISSING',
    `the cluster does not serve what this release needs: ${faults.join('; ')}. ${advice}`,
  );
}

async function definitionFaults(api: ClusterApi, definitions: readonly DesiredObject[]): Promise<string[]> {
  const faults = await Promise.all(definitions.map((definition) => definitionFault(api, definition)));
  return faults.filter((fault) => fault !== undefined);
}

async function definitionFault(api: ClusterApi, wanted: DesiredObject): Promise<string | undefined> {
  const { name } = wanted.metadata;
  let found: KubeObject;
  try {
    found = await api.get(CustomResourceDefinitions, { namespace: '', name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return `CRD ${name} is not installed`;
    throw error;
  }
  const served = new Set(
    versionsOf(found)
      .filter((version) => version.served)
      .map((version) => version.name),
  );
  const missing = versionsOf(wanted).filter((version) => version.served && !served.has(version.name));
  if (missing.length > 0) {
    return `CRD ${name} does not serve version ${missing.map((version) => version.name).join(', ')}`;
  }
  return isEstablished(found) ? undefined : `CRD ${name} is not established yet`;
}

function versionsOf(definition: { readonly [field: string]: unknown }): { name: string; served: boolean }[] {
  const { versions } = (definition.spec ?? {}) as { versions?: { name: string; served: boolean }[] };
  return Array.isArray(versions) ? versions : [];
}

function isEstablished(definition: KubeObject): boolean {
  const { conditions } = (definition.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return (
    Array.isArray(conditions) && conditions.some(({ type, status }) => type === 'Established' && status === 'True')
  );
}
