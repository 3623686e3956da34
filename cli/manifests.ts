import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Controller } from '../lib/core/controller.ts';
import { EvenkeelError } from '../lib/core/errors.ts';
import { ownControllers } from '../lib/deployment/author/own-controllers.ts';
import { fileFault } from '../lib/deployment/files/file-fault.ts';
import { authorManifests } from '../lib/deployment/kubernetes/author-manifests.ts';
import { settingsOf } from '../lib/deployment/settings/load-settings.ts';
import { NAMESPACE } from '../lib/deployment/settings/settings-schema.ts';
import type { Invocation, RunCommand } from './command.ts';
import { costLines } from './definition-costs.ts';
import { definitionChanges } from './definitions/definition-changes.ts';
import { type ManifestDifference, manifestDifferences } from './manifest-differences.ts';
import { readDefinitions } from './types/read-definitions.ts';
import { UsageError } from './usage-error.ts';
import { examineDefinitions } from './wiring-definitions.ts';
import { guardAuthorExit } from './wiring-exit.ts';

const WORDS: Readonly<Record<ManifestDifference['type'], string>> = {
  missing: 'is missing',
  changed: 'differs',
  obsolete: 'is not needed any more',
  foreign: 'was not written by evenkeel manifests',
};

/** `evenkeel manifests --controllers FILE --out DIR [--argocd] [--flux] [--check [--against FILE]]` */
export const manifests: RunCommand = async (invocation, terminal) => {
  const modules = invocation.list('controllers').map((file) => resolve(file));
  const out = invocation.text('out');
  if (modules.length === 0 || out === undefined) throw new UsageError('give --controllers FILE and --out DIR.');
  const folder = resolve(out);
  const namespaces = namespacesOf(invocation);
  const against = invocation.text('against');
  if (against !== undefined && !invocation.has('check')) throw new UsageError('--against needs --check.');
  const earlier = against === undefined ? [] : readDefinitions(against);
  using _exit = guardAuthorExit(modules, terminal);
  const own = await ownControllers(settingsOf(undefined, modules), { wholeErrors: true, isConfigured: false });
  const tools = { argocd: invocation.has('argocd'), flux: invocation.has('flux') };
  const files = authorManifests({ ...own, ...tools, ...(namespaces.length > 0 && { namespaces }) });
  for (const note of notesOf(own.controllers)) terminal.err(`note: ${note}`);
  const { costs, faults } = examineDefinitions(own.definitions);
  for (const fault of faults) terminal.err(`note: the embedded API server refuses this definition: ${fault}`);
  for (const line of costLines(costs)) terminal.err(`note: ${line}`);
  const differences = manifestDifferences(folder, files);
  if (invocation.has('check')) {
    for (const { type, file } of differences) terminal.err(`${join(out, file)} ${WORDS[type]}`);
    if (differences.length === 0) terminal.out(`${out} is up to date`);
    else terminal.err('Run evenkeel manifests without --check, and commit what it writes.');
    const changes = definitionChanges(earlier, own.definitions);
    for (const change of changes) terminal.err(change);
    if (against !== undefined && changes.length === 0)
      terminal.out(`every object that fits ${against} fits these CRDs`);
    return differences.length === 0 && changes.length === 0 ? 0 : 1;
  }
  refuseForeign(folder, differences);
  writeFiles(folder, files, differences);
  for (const { type, file } of differences) {
    terminal.out(`${join(out, file)} ${type === 'obsolete' ? 'removed' : 'written'}`);
  }
  terminal.out(`apply them with kubectl apply --server-side -k ${out}`);
  return 0;
};

/** Empty: the whole cluster. @throws UsageError */
function namespacesOf(invocation: Invocation): readonly string[] {
  const namespaces = invocation.list('namespaces');
  const wrong = namespaces.find((name) => !NAMESPACE.test(name));
  if (wrong !== undefined) {
    throw new UsageError(
      `--namespaces: "${wrong}" cannot be the name of a namespace. Use lower-case letters, digits and "-", such as team-a.`,
    );
  }
  // An empty variable of a script must not give roles for the whole cluster.
  if (invocation.has('namespaces') && namespaces.length === 0) {
    throw new UsageError('--namespaces names no namespace. Name one, or leave the option out for the whole cluster.');
  }
  return namespaces;
}

/** @throws EvenkeelError MANIFEST_FILE before anything is written. */
function refuseForeign(folder: string, differences: readonly ManifestDifference[]): void {
  const foreign = differences.filter(({ type }) => type === 'foreign').map(({ file }) => join(folder, file));
  if (foreign.length === 0) return;
  throw new EvenkeelError(
    'MANIFEST_FILE',
    `${foreign.join(', ')}: evenkeel manifests did not write this and would replace it. Name another folder with --out. A kustomization.yaml of your own can list that folder under resources.`,
  );
}

function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  differences: readonly ManifestDifference[],
): void {
  for (const { type, file } of differences) {
    const path = join(folder, file);
    try {
      if (type === 'obsolete') rmSync(path);
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, files[file] ?? '');
      }
    } catch (error) {
      const { why, advice } = fileFault(error);
      throw new EvenkeelError('MANIFEST_FILE', `${path} cannot be written: ${why}. ${advice}.`, { cause: error });
    }
  }
}

/** The changes that the conversion of the kinds' schemas made. */
function notesOf(controllers: readonly Controller[]): string[] {
  return controllers.flatMap(({ type }) => {
    const { notes = [] } = type as { notes?: readonly string[] };
    return notes.map((note) => `${type.kind} ${note}`);
  });
}
