import { beforeEach, describe, expect, it } from 'vitest';
import { prepareCluster } from '../../../cli/prepare-cluster.ts';
import type { DesiredObject } from '../../../lib/core/kube-object.ts';
import {
  checkDefinitions,
  compareDefinitions,
  installDefinitions,
} from '../../../lib/deployment/kubernetes/install-definitions.ts';
import { bundledDefinitions } from '../../../lib/deployment/package/manifests.ts';
import { ApiError } from '../../../lib/ports/cluster-api.ts';
import { World } from '../../../lib/testing/world.ts';
import { RecordedTerminal } from '../terminal/recorded-terminal.ts';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly versions: { subresources?: object; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

const CONTRACTS = 'secretcontracts.evenkeel.dev';
const definitions = bundledDefinitions().filter(({ metadata }) => metadata.name.endsWith('.evenkeel.dev'));

let world: World;
beforeEach(() => {
  world = new World({ controllers: [] });
});

/** Installs the definitions of this release, with one of them changed. */
async function install(name: string, change: (definition: Definition) => void): Promise<void> {
  const copies = structuredClone(definitions) as unknown as Definition[];
  for (const copy of copies) if (copy.metadata.name === name) change(copy);
  await world.install(copies);
}

/** Removes the field at a path such as `spec.keys[].format`. */
function without(path: string): (definition: Definition) => void {
  return ({ spec }) => {
    const fields = path.split('.');
    const last = fields.pop() ?? '';
    let schema: Schema | undefined = spec.versions[0]?.schema.openAPIV3Schema;
    for (const field of fields) {
      schema = schema?.properties?.[field.replace('[]', '')];
      if (field.endsWith('[]')) schema = schema?.items;
    }
    delete schema?.properties?.[last];
  };
}

describe('the definitions of a cluster', () => {
  it.each<[string, string[], string]>([
    [CONTRACTS, ['status.findings'], 'lacks status.findings, and'],
    [
      CONTRACTS,
      ['spec.keys[].format', 'spec.externalSecretRef'],
      'lacks spec.externalSecretRef, spec.keys[].format, and',
    ],
    ['gateways.hypershell.evenkeel.dev', ['status.conditions'], 'lacks status.conditions, and'],
  ])('R-2.15 R-6.4 are used, and what they lack is named, when %s lacks %j', async (name, paths, text) => {
    await install(name, (definition) => {
      for (const path of paths) without(path)(definition);
    });
    const notices = await checkDefinitions(world.user, definitions);
    expect(notices).toEqual([
      expect.stringContaining(`CRD ${name} in the cluster is older than this release: it ${text}`),
    ]);
  });

  it('R-2.15 R-6.4 are compared at the start, which says how to update them', async () => {
    await install(CONTRACTS, without('status.findings'));
    const terminal = new RecordedTerminal();
    await prepareCluster(
      world.user,
      { definitions, install: false, examples: [], kubectl: 'kubectl --context here' },
      terminal,
      world.clock,
    );
    expect(terminal.errLines.join(' ')).toMatch(
      /lacks status\.findings.*Update it with --install-crds, or with: kubectl --context here apply --server-side -f/,
    );
  });

  const prepared = (given: readonly DesiredObject[], install: boolean) =>
    prepareCluster(
      world.user,
      { definitions: given, install, examples: [], kubectl: 'kubectl --context here' },
      new RecordedTerminal(),
      world.clock,
    );

  it('R-6.4 are refused with the command that installs them when they are missing', async () => {
    await expect(prepared(definitions, false)).rejects.toThrow(
      'Install them with --install-crds, or with: kubectl --context here apply --server-side -f infra/kubernetes/crds',
    );
  });

  it('R-6.4 are refused with the command that shows the reason when the API server does not accept one', async () => {
    const [first] = definitions;
    if (first === undefined) throw new Error('there are no definitions');
    const broken = { ...first, spec: { ...(first as { spec?: object }).spec, scope: 'Nowhere' } };
    await expect(prepared([broken], true)).rejects.toMatchObject({
      code: 'DEFINITION_REFUSED',
      message: expect.stringContaining(
        'is invalid. kubectl --context here apply --server-side --dry-run=server -f FILE',
      ),
    });
  });

  it('R-6.4 are refused with the command that shows their conditions when they are not served in time', async () => {
    const never = new Proxy(world.user, {
      get: (api, name) =>
        name === 'get'
          ? () => Promise.reject(new ApiError('NotFound', 'no'))
          : (Reflect.get(api, name) as () => unknown).bind(api),
    });
    const installing = installDefinitions(never, definitions, world.clock, () => {}, 'kubectl --context here');
    const refused = expect(installing).rejects.toThrow(
      'Look at their conditions with kubectl --context here describe crd.',
    );
    await world.clock.advance(31_000);
    await refused;
  });

  it('R-6.4 have nothing to be named when they are as shipped', async () => {
    await world.install(definitions);
    expect(await compareDefinitions(world.user, definitions)).toEqual({ faults: [], notices: [] });
  });

  it('R-6.4 lack nothing where they keep unknown fields', async () => {
    const keeping = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await install(CONTRACTS, ({ spec }) => {
      Object.assign(spec.versions[0]?.schema.openAPIV3Schema.properties ?? {}, { status: keeping });
    });
    expect(await checkDefinitions(world.user, definitions)).toEqual([]);
  });

  it.each([CONTRACTS, 'gateways.hypershell.evenkeel.dev', 'manageddatabases.hypershell.evenkeel.dev'])(
    'R-2.15 R-6.4 are refused when %s has no status subresource',
    async (name) => {
      await install(name, ({ spec }) => delete spec.versions[0]?.subresources);
      await expect(checkDefinitions(world.user, definitions)).rejects.toMatchObject({
        code: 'DEFINITIONS_MISSING',
        message: expect.stringMatching(
          new RegExp(`CRD ${name} has no status subresource in version v1alpha1.*add .subresources.*--install-crds`),
        ),
      });
    },
  );
});
