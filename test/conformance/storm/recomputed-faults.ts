import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { type ResourceType, Secrets } from '../../../lib/core/resource-type.ts';
import type { ClusterApi } from '../../../lib/ports/cluster-api.ts';

interface Contract {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly secretRef: { readonly name: string }; readonly keys: readonly { readonly name: string }[] };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly observedSecret?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly findings?: readonly { readonly key: string; readonly rule: string; readonly reason: string }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly observedGeneration: number;
    }[];
  };
}

interface Secret {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * The errors in the contracts of a namespace. The rules are written here a second time: every status is computed again
 * from the stored objects. Empty when all contracts are correct.
 */
export async function recomputedFaults(api: ClusterApi, namespace: string): Promise<string[]> {
  const [contracts, secrets] = await Promise.all([
    listAll<Contract>(api, SecretContracts, namespace),
    listAll<Secret>(api, Secrets, namespace),
  ]);
  const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
  return contracts.flatMap((contract) => {
    const wanted = wantedOf(contract, byName.get(contract.spec.secretRef.name));
    const found = foundIn(contract);
    return wanted === found ? [] : [`${namespace}/${contract.metadata.name}: ${found}, and ${wanted} is right`];
  });
}

function wantedOf({ metadata, spec }: Contract, secret: Secret | undefined): string {
  const keys = spec.keys.map(({ name }) => name);
  const missing = keys.filter((key) => secret?.data?.[key] === undefined).sort();
  const conditions =
    secret === undefined
      ? 'SecretExists False SecretNotFound, KeysValid Unknown NotEvaluated, Ready False SecretNotFound'
      : missing.length > 0
        ? 'SecretExists True SecretFound, KeysValid False KeyMissing, Ready False KeyMissing'
        : 'SecretExists True SecretFound, KeysValid True RulesSatisfied, Ready True AllSatisfied';
  const findings = secret === undefined ? [] : missing.map((key) => `${key} required KeyMissing`);
  const seen = secret === undefined ? 'none' : `${secret.metadata.uid} ${secret.metadata.resourceVersion}`;
  return shown(metadata.generation, conditions, findings, seen);
}

function foundIn({ status }: Contract): string {
  const { observedGeneration, observedSecret, findings = [], conditions = [] } = status ?? {};
  const generations = new Set([observedGeneration, ...conditions.map((condition) => condition.observedGeneration)]);
  const told = ['SecretExists', 'KeysValid', 'Ready'].map((type) => {
    const condition = conditions.find((candidate) => candidate.type === type);
    return `${type} ${condition?.status} ${condition?.reason}`;
  });
  const generation = generations.size === 1 ? observedGeneration : `one of ${[...generations]}`;
  const seen = observedSecret === undefined ? 'none' : `${observedSecret.uid} ${observedSecret.resourceVersion}`;
  return shown(
    generation,
    told.join(', '),
    findings.map(({ key, rule, reason }) => `${key} ${rule} ${reason}`),
    seen,
  );
}

function shown(generation: unknown, conditions: string, findings: readonly string[], secret: string): string {
  return `generation ${generation}: ${conditions}; findings [${findings.join('; ')}]; Secret ${secret}`;
}

async function listAll<Item>(api: ClusterApi, type: ResourceType, namespace: string): Promise<Item[]> {
  const items: unknown[] = [];
  let continueToken: string | undefined;
  do {
    const page = await api.list(type, { namespace, ...(continueToken !== undefined && { continueToken }) });
    items.push(...page.items);
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
  return items as Item[];
}
