import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../../lib/core/resource-type.ts';
import { Contracts } from './support/contracts.ts';
import { EvenkeelFolder } from './support/evenkeel-process.ts';
import { eventually } from './support/eventually.ts';

const Notes: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'notes',
  kind: 'Note',
  namespaced: true,
};

/** A controller that does what its object says: leave something uncaught, return what it may not, or be well. */
const MODULE = `
const leaves = {
  rejection: () => void Promise.reject(new Error('hunter2')),
  late: () => void new Promise((resolve) => setTimeout(resolve, 50)).then(() => { throw new Error('hunter2'); }),
  callback: () => void setTimeout(() => { throw new Error('hunter2'); }, 50),
};

void Promise.reject(new Error('hunter2, while the module is loaded'));

export const controllers = [{
  name: 'note',
  group: 'note',
  type: { group: 'example.com', version: 'v1', plural: 'notes', kind: 'Note', namespaced: true },
  owns: [],
  reads: [],
  version: '1',
  reconcile: async ({ spec: { does } }) => {
    leaves[does]?.();
    if (does === 'nothing') return undefined;
    return { outcome: { type: 'settled' }, status: { does } };
  },
  forgotten: () => { throw new Error('hunter2'); },
}];
export const definitions = ['./crd.yaml'];
`;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: notes, singular: note, kind: Note, listKind: NoteList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {does: {type: string}}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

async function createNote({ api }: Contracts, does: string) {
  const metadata = { namespace: 'default', name: does };
  return await api.create(
    Notes,
    { apiVersion: 'example.com/v1', kind: 'Note', metadata, spec: { does } },
    { fieldManager: 'test' },
  );
}

describe('evenkeel start with a controller that leaves errors uncaught', () => {
  it('R-1.27 continues for all controllers, names the failed pass, and ends when it is told to', async () => {
    await using folder = new EvenkeelFolder();
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder.path, 'note.js'), MODULE);
    writeFileSync(join(folder.path, 'crd.yaml'), DEFINITION);
    const started = await folder.start(['--empty', '--controllers', 'note.js']);
    await using cluster = await Contracts.connect(folder.kubeconfig);
    // The relay's first list may still be under way: it finds the object then, as one that was updated.
    await createNote(cluster, 'rejection');
    await started.line(/Note default\/rejection {2}.*: retry, UnhandledRejection: reconcile left a promise/);
    await createNote(cluster, 'nothing');
    await started.line(
      /Note default\/nothing {2}.*: retry, .*InvalidResult: reconcile returned undefined: return \{ outcome \}/,
    );
    const late = await createNote(cluster, 'late');
    await createNote(cluster, 'callback');
    await started.line(/Note default\/callback {2}.*: settled/);
    const reported = () =>
      started.errLines.filter((line) => line.includes('nobody caught') && line.includes('controller=note'));
    await eventually('errors that came after their passes', async () =>
      ['late', 'callback'].every((name) => reported().some((line) => line.includes(`name=${name}`))) ? true : undefined,
    );
    await cluster.api.delete(
      Notes,
      { namespace: 'default', name: 'late' },
      { preconditions: { uid: late.metadata.uid } },
    );
    await started.line(/Note default\/late {2}.*: gone, its item is removed/);
    await cluster.createSecret('web', { password: 'x' });
    await cluster.createContract('web', ['password']);
    await cluster.becomes('web', 'True AllSatisfied');
    const { code, out, err } = await started.stop();
    expect(code).toBe(0);
    expect(out).not.toContain('hunter2');
    // On the embedded cluster the author sees each of them whole; lines of the log withhold the text all the same.
    expect(err).toMatch(/^ *Error: hunter2, while the module is loaded$/m);
    for (const name of ['rejection', 'late', 'callback']) {
      expect(err).toMatch(
        new RegExp(
          `Note default/${name} {2}note: reconcile left an error that nobody caught\\n {4}Error: hunter2$`,
          'm',
        ),
      );
    }
    expect(err).toMatch(/Note default\/late {2}note: forgotten failed\n {4}Error: hunter2$/m);
    expect(err).toMatch(/^ {4} +at .*note\.js:\d+:\d+\)?$/m);
    const logged = err.split('\n').filter((line) => line.includes(' error: '));
    expect(logged.length).toBeGreaterThan(3);
    expect(logged.join('\n')).not.toContain('hunter2');
  });
});
