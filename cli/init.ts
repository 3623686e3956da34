import { join, relative, resolve } from 'node:path';
import { shellWord } from '../lib/deployment/kubernetes/kubectl-command.ts';
import { packageRoot, packageVersion } from '../lib/deployment/package/package-root.ts';
import type { RunCommand } from './command.ts';
import {
  type AskedNames,
  DEFAULT_GROUP,
  DEFAULT_KIND,
  defaultName,
  nameFault,
  projectNames,
} from './init/project-names.ts';
import { refuseUsedFolder, writeProject } from './init/write-project.ts';
import { type Ask, terminalQuestions } from './wiring-terminal.ts';

/** `evenkeel init DIR`: writes a project with one kind, its controller, tests and a deployment. */
export const init: RunCommand = async (invocation, terminal) => {
  const [operand = ''] = invocation.operands;
  const folder = resolve(operand);
  refuseUsedFolder(folder);
  const proposed = {
    name: invocation.text('name') ?? defaultName(folder),
    group: invocation.text('group') ?? DEFAULT_GROUP,
    kind: invocation.text('kind') ?? DEFAULT_KIND,
  };
  using questions = invocation.has('yes') ? undefined : terminalQuestions();
  const isGiven = (what: keyof AskedNames) => invocation.has(what);
  const names = projectNames(questions === undefined ? proposed : await askedNames(proposed, isGiven, questions.ask));
  const files = writeProject(folder, names);
  const place = relative('.', folder);
  terminal.err(`${files.length} files written to ${folder}`);
  const archive = cloneArchive();
  if (archive !== undefined) {
    terminal.err(`this evenkeel is a clone, and npm may not have its version: make ${archive} with npm pack first`);
  }
  terminal.out(nextCommand(place, archive));
  return 0;
};

/**
 * @param place the folder of the project, relative to the shell's.
 * @param archive the file that npm pack writes, when evenkeel runs from a clone.
 */
export function nextCommand(place: string, archive?: string): string {
  const packed = archive === undefined ? '' : `(cd ${shellWord(packageRoot())} && npm pack) && `;
  const entered = place === '' ? '' : `cd ${shellWord(place.startsWith('-') ? `./${place}` : place)} && `;
  const installed = archive === undefined ? 'npm install' : `npm install ${shellWord(archive)}`;
  return `${packed}${entered}${installed} && npm run manifests && npm test && npm run dev`;
}

/** The file that npm pack writes in a clone; undefined when evenkeel is an installed package. */
function cloneArchive(): string | undefined {
  return import.meta.url.endsWith('.ts') ? join(packageRoot(), `evenkeel-${packageVersion()}.tgz`) : undefined;
}

/** Asks for the names that no option gives. An empty answer accepts the proposal. */
export async function askedNames(
  proposed: AskedNames,
  isGiven: (what: keyof AskedNames) => boolean,
  ask: Ask,
): Promise<AskedNames> {
  const names = { ...proposed };
  const questions = { group: 'API group of the kind', kind: 'Kind', name: 'Name of the project' };
  for (const what of ['group', 'kind', 'name'] as const) {
    if (isGiven(what)) continue;
    let fault: string | undefined;
    do {
      const answer = (
        await ask(`${fault === undefined ? '' : `${fault}\n`}${questions[what]} (${proposed[what]}): `)
      ).trim();
      names[what] = answer === '' ? proposed[what] : answer;
      fault = nameFault(what, names[what]);
    } while (fault !== undefined);
  }
  return names;
}
