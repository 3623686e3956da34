import { ApiServer } from '../../apiserver/api-server.ts';
import { cutToCodePoints } from '../../core/text.ts';

/** A cluster in which definitions are installed and nothing else has happened. */
interface InstalledCluster {
  readonly backup: ReturnType<ApiServer['snapshot']>;
  /** How many UIDs were assigned. */
  readonly uids: number;
}

const MADE = new Map<string, InstalledCluster>();

/** UIDs are counted, so that a seed produces the same ones each time. */
export function uidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Created once for the same definitions: their installation takes longer than much of a run. */
export async function installedCluster(definitions: readonly object[], nowMs: number): Promise<InstalledCluster> {
  const key = `${nowMs} ${JSON.stringify(definitions)}`;
  const known = MADE.get(key);
  if (known !== undefined) return known;
  const made = await install(definitions, nowMs);
  MADE.set(key, made);
  return made;
}

async function install(definitions: readonly object[], nowMs: number): Promise<InstalledCluster> {
  let uids = 0;
  const server = new ApiServer({
    clock: () => nowMs,
    newUid: () => {
      uids += 1;
      return uidOf(uids);
    },
    random: () => 0.5,
  });
  for (const definition of definitions) {
    const response = await server.send({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: { 'content-type': 'application/json', 'user-agent': 'user' },
      body: JSON.stringify(definition),
    });
    if (response.status !== 201)
      throw new Error(
        `the CRD ${nameOf(definition)} was answered with ${response.status}: ${messageOf(await response.text())}`,
      );
  }
  await server.idle();
  return { backup: server.snapshot(), uids };
}

function nameOf(definition: { readonly metadata?: { readonly name?: unknown } }): string {
  return typeof definition.metadata?.name === 'string'
    ? definition.metadata.name
    : cutToCodePoints(JSON.stringify(definition), 200);
}

/** The message of a Kubernetes Status. */
function messageOf(body: string): string {
  const { message = body } = JSON.parse(body) as { message?: string };
  return message;
}
