import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiServer } from '../../../lib/adapters/apiserver/api-server.ts';
import type { Listening } from '../../../lib/adapters/apiserver/listen.ts';
import { widget, widgetDefinition } from './api-client.ts';
import { Kubectl, kubectlMissing } from './kubectl.ts';

const missing = kubectlMissing();
const title = 'kubectl against the embedded API server';

const definition = widgetDefinition({
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
            size: { type: 'integer', minimum: 1, description: 'How large the widget is.' },
            colour: { type: 'string', default: 'grey' },
          },
        },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

/** A table as rows of cells. */
function cells(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
}

describe.skipIf(missing !== undefined)(
  missing === undefined ? title : `${title} (skipped: ${missing})`,
  { timeout: 60_000 },
  () => {
    let server: ApiServer;
    let listening: Listening;
    let kubectl: Kubectl;

    beforeEach(async () => {
      server = new ApiServer({ clock: () => Date.now(), newUid: randomUUID, random: Math.random });
      listening = await server.listen();
      kubectl = await Kubectl.at(listening.url);
      await kubectl.run(['apply', '-f', await kubectl.file('crd.json', definition)]);
    });

    afterEach(async () => {
      await listening.close();
      await kubectl.remove();
    });

    it('R-6.2 applies by patch, and again without a change', async () => {
      const file = await kubectl.file('widget.json', widget('a', { size: 1 }));
      expect(await kubectl.run(['apply', '-f', file])).toBe('widget.example.com/a created\n');
      expect(await kubectl.run(['apply', '-f', file])).toBe('widget.example.com/a unchanged\n');
      const changed = await kubectl.file('changed.json', widget('a', { size: 2 }));
      expect(await kubectl.run(['apply', '-f', changed])).toBe('widget.example.com/a configured\n');
      expect(await kubectl.run(['get', 'wd', 'a', '-o', 'jsonpath={.spec}'])).toBe('{"colour":"grey","size":2}');
    });

    it('R-6.2 creates by generators, which send protobuf', async () => {
      for (const args of [
        ['secret', 'generic', 'web', '--from-literal=password=hunter2', '--from-literal=empty='],
        ['configmap', 'web', '--from-literal=key=value'],
        ['namespace', 'shop'],
        ['serviceaccount', 'web'],
        ['deployment', 'web', '--image=web:1', '--port=8080', '--replicas=0'],
        ['service', 'clusterip', 'web', '--tcp=80:8080'],
        ['role', 'web', '--verb=get', '--resource=secrets'],
        ['rolebinding', 'web', '--role=web', '--serviceaccount=default:web'],
        ['clusterrole', 'web', '--verb=get', '--resource=secrets'],
        ['clusterrolebinding', 'web', '--clusterrole=web', '--user=me'],
      ]) {
        expect(await kubectl.run(['create', ...args])).toMatch(/ created\n$/);
      }
      expect(await kubectl.run(['get', 'secret', 'web', '-o', 'jsonpath={.data}'])).toBe(
        '{"empty":"","password":"aHVudGVyMg=="}',
      );
      expect(await kubectl.run(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('0');
      expect(await kubectl.run(['get', 'service', 'web', '-o', 'jsonpath={.spec.ports[0].targetPort}'])).toBe('8080');
      const job = await kubectl.try(['create', 'job', 'web', '--image=web:1']);
      expect(job.stderr).toContain('the server could not find the requested resource');
    });

    it('R-6.2 applies on the server, with conflicts between field managers', async () => {
      const file = await kubectl.file('widget.json', widget('a', { size: 1 }));
      const server = ['apply', '--server-side', '-f'];
      expect(await kubectl.run([...server, file])).toBe('widget.example.com/a serverside-applied\n');
      const other = await kubectl.file('other.json', widget('a', { size: 2 }));
      const conflict = await kubectl.try([...server, other, '--field-manager=other']);
      expect(conflict.code).toBe(1);
      expect(conflict.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.size');
      await kubectl.run([...server, other, '--field-manager=other', '--force-conflicts']);
      expect(await kubectl.run(['get', 'widget/a', '-o', 'jsonpath={.spec.size}'])).toBe('2');
    });

    it('R-6.4 shows what the server says of a wrong object', async () => {
      const unknown = await kubectl.file('unknown.json', widget('a', { size: 1, sice: 2 }));
      const strict = await kubectl.try(['apply', '-f', unknown]);
      expect(strict.stderr).toContain('strict decoding error: unknown field "spec.sice"');
      const invalid = await kubectl.try(['apply', '-f', await kubectl.file('invalid.json', widget('a', { size: 0 }))]);
      expect(invalid.stderr).toContain(
        'The Widget "a" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      );
      const absent = await kubectl.try(['get', 'widget', 'nobody']);
      expect(absent.stderr).toBe('Error from server (NotFound): widgets.example.com "nobody" not found\n');
    });

    it('R-6.2 gets tables with the printer columns, wide ones and all namespaces', async () => {
      await kubectl.run(['apply', '-f', await kubectl.file('widget.json', widget('a', { size: 7 }))]);
      const patch = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
      await kubectl.run(['patch', 'widget', 'a', '--subresource=status', '--type=merge', '-p', patch]);
      expect(cells(await kubectl.run(['get', 'widgets']))).toEqual([
        ['NAME', 'SIZE', 'READY', 'AGE'],
        ['a', '7', 'True', expect.stringMatching(/^\d+s$/)],
      ]);
      expect(cells(await kubectl.run(['get', 'wd', '-o', 'wide', '-A']))).toEqual([
        ['NAMESPACE', 'NAME', 'SIZE', 'READY', 'COLOUR', 'AGE'],
        ['default', 'a', '7', 'True', 'grey', expect.stringMatching(/^\d+s$/)],
      ]);
      expect(await kubectl.run(['get', 'wd', 'a', '-o', 'yaml'])).toContain(
        'apiVersion: example.com/v1\nkind: Widget\n',
      );
      await kubectl.run(['wait', '--for=condition=Ready', 'widget/a', '--timeout=10s']);
    });

    it('R-6.2 describes an object with its events, and explains its kind', async () => {
      await kubectl.run(['apply', '-f', await kubectl.file('widget.json', widget('a', { size: 7 }))]);
      const uid = await kubectl.run(['get', 'wd', 'a', '-o', 'jsonpath={.metadata.uid}']);
      await kubectl.run(['create', '-f', await kubectl.file('event.json', readyEvent(uid))]);
      const described = await kubectl.run(['describe', 'widget', 'a']);
      expect(described).toMatch(/Kind:\s+Widget/);
      expect(described).toMatch(/Size:\s+7/);
      expect(described).toMatch(/Normal\s+ItIsReady\s+.*evenkeel.dev\/widget\s+all is well/);
      expect(await kubectl.run(['explain', 'widget.spec.size'])).toContain('How large the widget is.');
    });

    it('R-6.2 edits, labels and annotates', async () => {
      await kubectl.run(['apply', '-f', await kubectl.file('widget.json', widget('a', { size: 7 }))]);
      const editor = await kubectl.script('editor.mjs', replaceInFile('size: 7', 'size: 8'));
      await kubectl.run(['edit', 'widget', 'a'], { KUBE_EDITOR: `${process.execPath} ${editor}` });
      await kubectl.run(['label', 'widget', 'a', 'tier=gold']);
      await kubectl.run(['annotate', 'widget', 'a', 'example.com/note=hello']);
      const found = JSON.parse(await kubectl.run(['get', 'widget', '-l', 'tier=gold', '-o', 'json']));
      expect(found.items).toMatchObject([
        {
          metadata: { labels: { tier: 'gold' }, annotations: { 'example.com/note': 'hello' } },
          spec: { size: 8 },
        },
      ]);
    });

    it('R-6.2 watches', async () => {
      const { lines, stop } = kubectl.start(['get', 'widgets', '--watch', '--output-watch-events', '-o', 'name']);
      const first = lines.next();
      await kubectl.run(['apply', '-f', await kubectl.file('widget.json', widget('a', { size: 7 }))]);
      expect((await first).value).toBe('widget.example.com/a');
      const second = lines.next();
      await kubectl.run(['delete', 'widget', 'a']);
      expect((await second).value).toBe('widget.example.com/a');
      stop();
    });

    it('R-6.2 deletes with dependents in the background, in the foreground or orphaning them', async () => {
      for (const [cascade, left] of [
        ['background', []],
        ['foreground', []],
        ['orphan', ['leaf']],
      ] as const) {
        await kubectl.run(['apply', '-f', await kubectl.file('owner.json', widget('owner', { size: 1 }))]);
        const uid = await kubectl.run(['get', 'wd', 'owner', '-o', 'jsonpath={.metadata.uid}']);
        const ownerReferences = [
          { apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid, blockOwnerDeletion: true },
        ];
        const leaf = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'leaf', ownerReferences } };
        await kubectl.run(['create', '-f', await kubectl.file('leaf.json', leaf)]);
        await kubectl.run(['delete', 'widget', 'owner', `--cascade=${cascade}`, '--wait', '--timeout=20s']);
        await server.idle();
        const names = await kubectl.run(['get', 'configmaps', '-o', 'jsonpath={.items[*].metadata.name}']);
        expect(names.split(' ').filter((name) => name !== '')).toEqual(left);
      }
    });

    it('R-6.2 waits for a deletion that a finalizer holds', async () => {
      const held = widget('a', { size: 1 }, { finalizers: ['example.com/hold'] });
      await kubectl.run(['apply', '-f', await kubectl.file('held.json', held)]);
      const impatient = await kubectl.try(['delete', 'widget', 'a', '--timeout=1s']);
      expect(impatient.stderr).toContain('timed out waiting for the condition');
      const deleted = server.requests.find({ verb: 'delete', name: 'a' }).length;
      const deleting = kubectl.run(['delete', 'widget', 'a', '--timeout=20s']);
      // The second deletion has been asked for, and waits, before the finalizer goes.
      await vi.waitUntil(() => server.requests.find({ verb: 'delete', name: 'a' }).length > deleted, {
        timeout: 20_000,
      });
      await kubectl.run([
        'patch',
        'widget',
        'a',
        '--type=json',
        '-p',
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      ]);
      expect(await deleting).toContain('widget.example.com "a" deleted');
    });

    it('R-6.2 applies and shows built-in kinds', async () => {
      const web = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', image: 'example.com/web:1', ports: [{ containerPort: 80 }] }] },
          },
        },
      };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { user: 'me' } };
      server.controllers.switchOn();
      await kubectl.run(['apply', '-f', await kubectl.file('web.json', web, secret)]);
      await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=10s']);
      web.spec.template.spec.containers.unshift({ name: 'first', image: 'example.com/first:1', ports: [] });
      await kubectl.run(['apply', '-f', await kubectl.file('web.json', web, secret)]);
      expect(cells(await kubectl.run(['get', 'deployments', '-o', 'wide']))).toEqual([
        ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE', 'CONTAINERS', 'IMAGES', 'SELECTOR'],
        ['web', '1/1', '1', '1', expect.any(String), 'first,web', 'example.com/first:1,example.com/web:1', 'app=web'],
      ]);
      expect(cells(await kubectl.run(['get', 'secrets']))[1]).toEqual(['login', 'Opaque', '1', expect.any(String)]);
      expect(await kubectl.run(['describe', 'secret', 'login'])).toMatch(/user:\s+2 bytes/);
      const logs = await kubectl.try(['scale', 'deployment/web', '--replicas=2']);
      expect(logs.stderr).toContain('the embedded API server does not serve');
    });
  },
);

/** A program that replaces text in the file that it is given. */
function replaceInFile(from: string, to: string): string {
  return [
    "import { readFileSync, writeFileSync } from 'node:fs';",
    'const path = process.argv[2];',
    `writeFileSync(path, readFileSync(path, 'utf8').replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));`,
  ].join('\n');
}

function readyEvent(uid: string) {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a.ready', namespace: 'default' },
    regarding: { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name: 'a', uid },
    reason: 'ItIsReady',
    note: 'all is well',
    type: 'Normal',
    action: 'Check',
    eventTime: new Date().toISOString().replace('Z', '000Z'),
    reportingController: 'evenkeel.dev/widget',
    reportingInstance: 'one',
  };
}
