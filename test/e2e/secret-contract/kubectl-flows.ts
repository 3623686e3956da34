import { describe, expect, it } from 'vitest';
import { SecretContracts } from '../../../lib/controllers/secret-contract/kinds.ts';
import { apiVersion } from '../../../lib/core/resource-type.ts';
import { Kubectl, kubectlMissing } from '../../apiserver/kubectl.ts';
import type { World } from './world.ts';

const missing = kubectlMissing();

/** An editor that replaces one text by another in the file it is given. */
const EDITOR = `
const { readFileSync, writeFileSync } = require('node:fs');
const [from, to, file] = process.argv.slice(2);
writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
`;

/** What a person does with stock kubectl. */
export function kubectlFlows(world: () => World): void {
  const title = missing === undefined ? 'with kubectl' : `with kubectl (left out: ${missing})`;
  describe.skipIf(missing !== undefined)(title, () => {
    it('R-6.2 apply, get, edit, watch and delete work, and the columns show what is wrong', async () => {
      const contracts = await world().contracts();
      const kubectl = await Kubectl.with(world().cluster.kubeconfig);
      const run = (...args: string[]) => kubectl.run(['-n', contracts.namespace, ...args]);
      try {
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' }, stringData: { one: 'x' } };
        const contract = {
          apiVersion: apiVersion(SecretContracts),
          kind: SecretContracts.kind,
          metadata: { name: 'web' },
          spec: { secretRef: { name: 'web' }, keys: [{ name: 'one' }] },
        };
        const file = await kubectl.file('web.json', secret, contract);
        expect(await run('apply', '-f', file)).toContain('secretcontract.evenkeel.dev/web created');
        await contracts.becomes('web', 'True AllSatisfied');
        await run('apply', '-f', file);
        expect((await contracts.read('web')).metadata.generation).toBe(1);
        const [header = '', row = ''] = (await run('get', 'secon')).split('\n');
        expect(header.split(/\s{2,}/)).toEqual(['NAME', 'READY', 'REASON', 'SECRET', 'NEXT CHECK', 'AGE']);
        expect(row).toMatch(/^web\s+True\s+AllSatisfied\s+web\s/);
        expect(await run('wait', 'secon/web', '--for=condition=Ready', '--timeout=30s')).toContain('condition met');

        const watch = kubectl.start(['-n', contracts.namespace, 'get', 'secon', '-w', '--no-headers']);
        expect((await watch.lines.next()).value).toContain('True');
        const editor = await kubectl.script('editor.cjs', EDITOR);
        const edit = { KUBE_EDITOR: `${process.execPath} ${editor} 'name: one' 'name: two'` };
        const edited = await kubectl.run(['-n', contracts.namespace, 'edit', 'secon', 'web'], edit);
        expect(edited).toContain('web edited');
        await contracts.becomes('web', 'False KeyMissing');
        for (let line = ''; !line.includes('KeyMissing'); ) line = (await watch.lines.next()).value as string;
        watch.stop();

        expect(await run('describe', 'secon', 'web')).toContain('KeyMissing');
        expect(await run('delete', 'secon', 'web')).toContain('deleted');
        expect((await kubectl.try(['-n', contracts.namespace, 'get', 'secon', 'web'])).stderr).toContain('NotFound');
        expect(await run('get', 'secret', 'web', '-o', 'jsonpath={.data.one}')).toBe('eA==');
      } finally {
        await kubectl.remove();
      }
    });
  });
}
