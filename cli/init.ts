import { relative, resolve } from 'node:path';
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
  terminal.out(nextCommand(place));
  return 0;
};

/** @param place the folder of the project, from where the shell is. */
export function nextCommand(place: string): string {
  return `${place === '' ? '' : `cd ${shellWord(place)} && `}npm install && npm run manifests && npm test && npm run dev`;
}

function shellWord(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Asks for what no option gives; an empty answer takes what is proposed. */
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
