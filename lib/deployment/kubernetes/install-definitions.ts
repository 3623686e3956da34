import { EvenkeelError } from '../../core/errors.ts';
import type { DesiredObject, KubeObject } from '../../core/kube-object.ts';
import { CustomResourceDefinitions } from '../../core/resource-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ClusterApi, isApiError } from '../../ports/cluster-api.ts';
import { definitionFault, missingFields } from './compare-definition.ts';

const FIELD_MANAGER = 'evenkeel-install';
const LOOK_AGAIN_MS = 100;
const ESTABLISH_LIMIT_MS = 30_000;
/** How many missing fields of one definition are named; the others are counted. */
const NAMED_FIELDS = 8;

/**
 * Installs or updates the definitions, and waits until they are served.
 * @param kubectl the start of a suggested command.
 */
export async function installDefinitions(
  api: ClusterApi,
  definitions: readonly DesiredObject[],
  clock: Clock,
  onInstalled: (installed: number) => void,
  kubectl = 'kubectl',
): Promise<void> {
  let installed = 0;
  for (const definition of definitions) {
    await installDefinition(api, definition, kubectl);
    onInstalled(++installed);
  }
  const untilMs = clock.monotonic() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const { faults } = await compareDefinitions(api, definitions);
    if (faults.length === 0) return;
    if (clock.monotonic() >= untilMs) throw notServed(faults, `Look at their conditions with ${kubectl} describe crd.`);
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** @throws EvenkeelError DEFINITION_REFUSED */
async function installDefinition(api: ClusterApi, definition: DesiredObject, kubectl: string): Promise<void> {
  const name = { namespace: '', name: definition.metadata.name };
  const body = { type: 'apply', patch: definition, force: true } as const;
  try {
    await api.patch(CustomResourceDefinitions, name, body, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isApiError(error, 'Invalid', 'BadRequest')) throw error;
    throw new EvenkeelError(
      'DEFINITION_REFUSED',
      `the API server reports that the CRD ${name.name} is invalid. ${kubectl} apply --server-side --dry-run=server -f FILE, with that CRD in FILE, shows the reason.`,
      { cause: error },
    );
  }
}

/**
 * Compares the definitions of the cluster with those of this release.
 * @returns a line for each definition with missing fields.
 * @throws EvenkeelError DEFINITIONS_MISSING, with each definition that is missing or not served as needed.
 */
export async function checkDefinitions(
  api: ClusterApi,
  definitions: readonly DesiredObject[],
  kubectl = 'kubectl',
): Promise<string[]> {
  const { faults, notices } = await compareDefinitions(api, definitions);
  if (faults.length === 0) return notices;
  throw notServed(
    faults,
    `Nothing was changed. Install them with --install-crds, or with: ${kubectl} apply --server-side -f infra/kubernetes/crds`,
  );
}

/**
 * The differences of the cluster's definitions: `faults` prevent controllers from working, `notices` name missing
 * fields.
 */
export async function compareDefinitions(
  api: ClusterApi,
  definitions: readonly DesiredObject[],
): Promise<{ faults: string[]; notices: string[] }> {
  const compared = await Promise.all(definitions.map((definition) => compareDefinition(api, definition)));
  return {
    faults: compared.flatMap(({ fault }) => fault ?? []),
    notices: compared.flatMap(({ notice }) => notice ?? []),
  };
}

function notServed(faults: readonly string[], advice: string): EvenkeelError {
  return new EvenkeelError(
    'DEFINITIONS_MISSING',
    `the cluster does not serve what this release needs: ${faults.join('; ')}. ${advice}`,
  );
}

async function compareDefinition(
  api: ClusterApi,
  wanted: DesiredObject,
): Promise<{ fault?: string | undefined; notice?: string }> {
  const { name } = wanted.metadata;
  let found: KubeObject;
  try {
    found = await api.get(CustomResourceDefinitions, { namespace: '', name });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return { fault: `CRD ${name} is not installed` };
    throw error;
  }
  const fault = definitionFault(wanted, found);
  const missing = missingFields(wanted, found);
  if (fault !== undefined || missing.length === 0) return { fault };
  return { notice: olderNotice(name, missing) };
}

/** @param missing paths of fields; not empty. */
export function olderNotice(name: string, missing: readonly string[]): string {
  const more = missing.length > NAMED_FIELDS ? ` and ${missing.length - NAMED_FIELDS} more` : '';
  return `CRD ${name} in the cluster is older than this release: it lacks ${missing.slice(0, NAMED_FIELDS).join(', ')}${more}, and the API server drops what is written there.`;
}
