import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/apiserver/json.ts';
import { until } from '../real-apiserver/until.ts';
import { type Kubectl, kubectlMissing } from './kubectl.ts';

/** A server for stock kubectl. */
export interface KubectlTarget {
  /** kubectl, whose current context names the namespace. */
  readonly kubectl: Kubectl;
  /** A namespace that no other test uses. */
  readonly namespace: string;
  /** How many requests to delete a gear of this name the server recorded. */
  deletions(name: string): Promise<number>;
  close(): Promise<void>;
}

const missing = kubectlMissing();
/** Only for tests that hang. Each test starts a dozen processes, and the machine may be busy. */
const LIMIT_MS = 300_000;
const group = 'kubectl.example.com';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gears.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'gears', singular: 'gear', kind: 'Gear', shortNames: ['gr'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Colour', type: 'string', jsonPath: '.spec.colour', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1, description: 'How large the gear is.' },
                  colour: { type: 'string', default: 'grey' },
                  replicas: { type: 'integer' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** A table as rows of cells. */
export function cells(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
}

function gear(name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: `${group}/v1`, kind: 'Gear', metadata: { name, ...metadata }, spec };
}

/** Typical commands of stock kubectl, on any API server. Each test has objects with its own names. */
export function describeKubectl(title: string, open: () => Promise<KubectlTarget>): void {
  const whole = missing === undefined ? title : `${title} (skipped: ${missing})`;
  describe.skipIf(missing !== undefined)(whole, { timeout: LIMIT_MS }, () => {
    let target: KubectlTarget;
    let kubectl: Kubectl;

    beforeAll(async () => {
      target = await open();
      ({ kubectl } = target);
      await kubectl.run(['apply', '-f', await kubectl.file('crd.json', definition)]);
      await kubectl.run(['wait', '--for=condition=Established', `crd/gears.${group}`, '--timeout=60s']);
      // A kind is served some moments after it is established. It appears in the OpenAPI document, which apply reads,
      // even later.
      await until(async () => (await kubectl.try(['explain', 'gear.spec.size'])).code === 0);
      await until(async () => (await kubectl.try(['get', 'gears'])).code === 0);
    }, LIMIT_MS);

    afterAll(async () => {
      await target.close();
    });

    const apply = async (object: JsonObject, ...args: string[]) =>
      await kubectl.run(['apply', ...args, '-f', await kubectl.file('gear.json', object)]);
    const tryApply = async (object: JsonObject, ...args: string[]) =>
      await kubectl.try(['apply', ...args, '-f', await kubectl.file('gear.json', object)]);

    it('R-6.2 applies by patch, and again without a change', async () => {
      expect(await apply(gear('applied', { size: 1 }))).toBe(`gear.${group}/applied created\n`);
      expect(await apply(gear('applied', { size: 1 }))).toBe(`gear.${group}/applied unchanged\n`);
      expect(await apply(gear('applied', { size: 2 }))).toBe(`gear.${group}/applied configured\n`);
      expect(await kubectl.run(['get', 'gr', 'applied', '-o', 'jsonpath={.spec}'])).toBe('{"colour":"grey","size":2}');
    });

    it('R-6.2 creates by generators, which send protobuf', async () => {
      const { namespace } = target;
      for (const args of [
        ['secret', 'generic', 'web', '--from-literal=password=hunter2', '--from-literal=empty='],
        ['configmap', 'web', '--from-literal=key=value'],
        ['namespace', `${namespace}-shop`],
        ['serviceaccount', 'web'],
        ['deployment', 'web', '--image=web:1', '--port=8080', '--replicas=0'],
        ['service', 'clusterip', 'web', '--tcp=80:8080'],
        ['role', 'web', '--verb=get', '--resource=secrets'],
        ['rolebinding', 'web', '--role=web', `--serviceaccount=${namespace}:web`],
        ['clusterrole', `${namespace}-web`, '--verb=get', '--resource=secrets'],
        ['clusterrolebinding', `${namespace}-web`, `--clusterrole=${namespace}-web`, '--user=me'],
      ]) {
        expect(await kubectl.run(['create', ...args])).toMatch(/ created\n$/);
      }
      expect(await kubectl.run(['get', 'secret', 'web', '-o', 'jsonpath={.data}'])).toBe(
        '{"empty":"","password":"aHVudGVyMg=="}',
      );
      expect(await kubectl.run(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('0');
      expect(await kubectl.run(['get', 'service', 'web', '-o', 'jsonpath={.spec.ports[0].targetPort}'])).toBe('8080');
    });

    it('R-6.2 applies on the server, with conflicts between field managers', async () => {
      const server = '--server-side';
      expect(await apply(gear('shared', { size: 1 }), server)).toBe(`gear.${group}/shared serverside-applied\n`);
      const conflict = await tryApply(gear('shared', { size: 2 }), server, '--field-manager=other');
      expect(conflict.code).toBe(1);
      expect(conflict.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.size');
      await apply(gear('shared', { size: 2 }), server, '--field-manager=other', '--force-conflicts');
      expect(await kubectl.run(['get', 'gear/shared', '-o', 'jsonpath={.spec.size}'])).toBe('2');
    });

    it('R-6.4 shows what the server says of a wrong object', async () => {
      const strict = await tryApply(gear('wrong', { size: 1, sice: 2 }));
      // The error comes from the server, or from kubectl by the server's schema while kubectl knows too little of a new
      // kind.
      expect(strict.stderr).toMatch(/unknown field "(?:spec\.)?sice"/);
      const invalid = await tryApply(gear('wrong', { size: 0 }));
      expect(invalid.stderr).toContain(
        'The Gear "wrong" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      );
      const absent = await kubectl.try(['get', 'gear', 'nobody']);
      expect(absent.stderr).toBe(`Error from server (NotFound): gears.${group} "nobody" not found\n`);
    });

    it('R-6.2 gets tables with the printer columns, wide ones and all namespaces', async () => {
      await apply(gear('shown', { size: 7 }, { labels: { test: 'tables' } }));
      const patch = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
      await kubectl.run(['patch', 'gear', 'shown', '--subresource=status', '--type=merge', '-p', patch]);
      expect(cells(await kubectl.run(['get', 'gears', '-l', 'test=tables']))).toEqual([
        ['NAME', 'SIZE', 'READY', 'AGE'],
        ['shown', '7', 'True', expect.stringMatching(/^\d+s$/)],
      ]);
      expect(cells(await kubectl.run(['get', 'gr', '-l', 'test=tables', '-o', 'wide', '-A']))).toEqual([
        ['NAMESPACE', 'NAME', 'SIZE', 'READY', 'COLOUR', 'AGE'],
        [target.namespace, 'shown', '7', 'True', 'grey', expect.stringMatching(/^\d+s$/)],
      ]);
      expect(await kubectl.run(['get', 'gr', 'shown', '-o', 'yaml'])).toContain(
        `apiVersion: ${group}/v1\nkind: Gear\n`,
      );
      await kubectl.run(['wait', '--for=condition=Ready', 'gear/shown', '--timeout=10s']);
    });

    it('R-6.2 describes an object with its events, and explains its kind', async () => {
      await apply(gear('told', { size: 7 }));
      const uid = await kubectl.run(['get', 'gr', 'told', '-o', 'jsonpath={.metadata.uid}']);
      const event = readyEvent({ namespace: target.namespace, name: 'told', uid });
      await kubectl.run(['create', '-f', await kubectl.file('event.json', event)]);
      const described = await kubectl.run(['describe', 'gear', 'told']);
      expect(described).toMatch(/Kind:\s+Gear/);
      expect(described).toMatch(/Size:\s+7/);
      expect(described).toMatch(/Normal\s+ItIsReady\s+.*evenkeel.dev\/gear\s+all is well/);
      expect(await kubectl.run(['explain', 'gear.spec.size'])).toContain('How large the gear is.');
    });

    it('R-6.2 edits, labels and annotates', async () => {
      await apply(gear('edited', { size: 7 }));
      const editor = await kubectl.script('editor.mjs', replaceInFile('size: 7', 'size: 8'));
      await kubectl.run(['edit', 'gear', 'edited'], { KUBE_EDITOR: `${process.execPath} ${editor}` });
      await kubectl.run(['label', 'gear', 'edited', 'tier=gold']);
      await kubectl.run(['annotate', 'gear', 'edited', 'example.com/note=hello']);
      const found = JSON.parse(await kubectl.run(['get', 'gear', '-l', 'tier=gold', '-o', 'json']));
      expect(found.items).toMatchObject([
        {
          metadata: { labels: { tier: 'gold' }, annotations: { 'example.com/note': 'hello' } },
          spec: { size: 8 },
        },
      ]);
    });

    it('R-6.2 scales a Deployment and a kind of its own', async () => {
      await kubectl.run(['create', 'deployment', 'scaled', '--image=web:1', '--replicas=1']);
      await kubectl.run(['apply', '-f', await kubectl.file('scaled.json', gear('scaled', { size: 1, replicas: 1 }))]);
      for (const object of ['deployment/scaled', 'gear/scaled']) {
        const replicas = ['get', object, '-o', 'jsonpath={.spec.replicas}'];
        expect(await kubectl.run(['scale', object, '--replicas=0'])).toContain('scaled');
        expect(await kubectl.run(replicas)).toBe('0');
        await kubectl.run(['scale', object, '--current-replicas=0', '--replicas=3']);
        expect(await kubectl.run(replicas)).toBe('3');
        const stale = await kubectl.try(['scale', object, '--current-replicas=2', '--replicas=4']);
        expect(stale.stderr).toContain('Expected replicas to be 2, was 3');
      }
    });

    it('R-5.12 kubectl auth shows permissions and identity', async () => {
      expect(await kubectl.run(['auth', 'can-i', 'create', 'deployments.apps'])).toBe('yes\n');
      expect(await kubectl.run(['auth', 'can-i', 'get', 'pods', '--subresource=log', '--all-namespaces'])).toBe(
        'yes\n',
      );
      expect(await kubectl.run(['auth', 'can-i', '--list'])).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
      expect(await kubectl.run(['auth', 'whoami'])).toContain('system:authenticated');
    });

    it('R-5.12 is given a token of a service account', async () => {
      await kubectl.run(['create', 'serviceaccount', 'robot']);
      const token = await kubectl.run(['create', 'token', 'robot', '--duration=1h']);
      expect(token.trim().split('.')).toHaveLength(3);
      const brief = await kubectl.try(['create', 'token', 'robot', '--duration=1m']);
      expect(brief.stderr).toContain('may not specify a duration less than 10 minutes');
    });

    it('R-6.2 watches', async () => {
      const args = ['get', 'gears', '-l', 'test=watches', '--watch', '--output-watch-events', '-o', 'json'];
      const { lines, stop } = kubectl.start(args);
      const types: string[] = [];
      const reading = (async () => {
        for (let type = ''; type !== 'DELETED'; ) {
          const { value, done } = await lines.next();
          if (done === true) throw new Error(`the watch ended after ${types}`);
          ({ type } = JSON.parse(value) as { type: string });
          types.push(type);
        }
      })();
      await apply(gear('watched', { size: 7 }, { labels: { test: 'watches' } }));
      await until(async () => types.length > 0);
      await apply(gear('watched', { size: 8 }, { labels: { test: 'watches' } }));
      await kubectl.run(['delete', 'gear', 'watched']);
      await reading;
      expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      stop();
    });

    it.each([
      ['in the background', 'background', []],
      ['in the foreground', 'foreground', []],
      ['by leaving them behind', 'orphan', ['leaf']],
    ])('R-6.2 deletes what has dependents, %s', async (_, cascade, left) => {
      // A built-in kind, because a garbage collector may take half a minute to find new kinds.
      const map = (name: string, ownerReferences: JsonObject[] = []): JsonObject => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels: { test: cascade }, ownerReferences },
      });
      await kubectl.run(['create', '-f', await kubectl.file('owner.json', map(`${cascade}-owner`))]);
      const uid = await kubectl.run(['get', 'configmap', `${cascade}-owner`, '-o', 'jsonpath={.metadata.uid}']);
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `${cascade}-owner`, uid, blockOwnerDeletion: true };
      await kubectl.run(['create', '-f', await kubectl.file('leaf.json', map(`${cascade}-leaf`, [owner]))]);
      await kubectl.run(['delete', 'configmap', `${cascade}-owner`, `--cascade=${cascade}`, '--wait']);
      const remaining = async () => {
        const path = 'jsonpath={range .items[*]}{.metadata.name} {.metadata.ownerReferences}{"\\n"}{end}';
        return await kubectl.run(['get', 'configmaps', '-l', `test=${cascade}`, '-o', path]);
      };
      const wanted = left.map((name) => `${cascade}-${name} \n`).join('');
      await until(async () => (await remaining()) === wanted);
    });

    it('R-6.2 waits for a deletion that a finalizer holds', async () => {
      await apply(gear('held', { size: 1 }, { finalizers: ['example.com/hold'] }));
      const impatient = await kubectl.try(['delete', 'gear', 'held', '--timeout=1s']);
      expect(impatient.stderr).toContain('timed out waiting for the condition');
      const asked = await target.deletions('held');
      const deleting = kubectl.run(['delete', 'gear', 'held']);
      // The second deletion was requested and waits before the finalizer is removed.
      await until(async () => (await target.deletions('held')) > asked);
      const release = '[{"op":"remove","path":"/metadata/finalizers"}]';
      await kubectl.run(['patch', 'gear', 'held', '--type=json', '-p', release]);
      expect(await deleting).toContain(`gear.${group} "held" deleted`);
    });

    it('R-6.2 shows built-in kinds', async () => {
      const container = { name: 'site', image: 'example.com/site:1', ports: [{ containerPort: 80 }] };
      const site = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'site', labels: { test: 'built-in' } },
        spec: {
          selector: { matchLabels: { app: 'site' } },
          template: { metadata: { labels: { app: 'site' } }, spec: { containers: [container] } },
        },
      };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { user: 'me' } };
      await kubectl.run(['apply', '-f', await kubectl.file('site.json', site, secret)]);
      site.spec.template.spec.containers.unshift({ name: 'first', image: 'example.com/first:1', ports: [] });
      await kubectl.run(['apply', '-f', await kubectl.file('site.json', site, secret)]);
      const images = 'example.com/first:1,example.com/site:1';
      expect(cells(await kubectl.run(['get', 'deployments', '-l', 'test=built-in', '-o', 'wide']))).toEqual([
        ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
        ['site', '0/1', '0', '0', expect.any(String), 'first,site', images, 'app=site'],
      ]);
      expect(cells(await kubectl.run(['get', 'secret', 'login']))[1]).toEqual([
        'login',
        'Opaque',
        '1',
        expect.any(String),
      ]);
      expect(await kubectl.run(['describe', 'secret', 'login'])).toMatch(/user:\s+2 bytes/);
    });
  });
}

/** A program that replaces text in the given file. */
function replaceInFile(from: string, to: string): string {
  return [
    "import { readFileSync, writeFileSync } from 'node:fs';",
    'const path = process.argv[2];',
    `writeFileSync(path, readFileSync(path, 'utf8').replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));`,
  ].join('\n');
}

function readyEvent(told: { namespace: string; name: string; uid: string }) {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'told.ready', namespace: told.namespace },
    regarding: { apiVersion: `${group}/v1`, kind: 'Gear', ...told },
    reason: 'ItIsReady',
    note: 'all is well',
    type: 'Normal',
    action: 'Check',
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'evenkeel.dev/gear',
    reportingInstance: 'one',
  };
}
