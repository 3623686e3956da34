import type { PermissionRule } from '../../controllers/group.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const LINE_WIDTH = 120;

export interface WrittenRole {
  /** The comment above the role. */
  readonly about: string | undefined;
  readonly kind: 'ClusterRole' | 'Role';
  readonly name: string;
  readonly namespace?: string;
  /** The controller group of the role. */
  readonly component: string;
  readonly rules: readonly PermissionRule[];
}

/** A role as a YAML document for people: with comments, and with short lists on one line. */
export function roleYaml({ about, kind, name, namespace, component, rules }: WrittenRole): string {
  const head = roleDocument(RBAC_GROUP, 'v1', kind, name, namespace, component);
  return `${wrapped(about)}${head}rules:\n${rules.map(ruleYaml).join('')}`;
}

/** The head of a document: its kind, name and labels. @param apiGroup '' for the core group. */
export function roleDocument(
  apiGroup: string,
  version: string,
  kind: string,
  name: string,
  namespace: string | undefined,
  component: string,
): string {
  return `apiVersion: ${apiGroup === '' ? version : `${apiGroup}/${version}`}
kind: ${kind}
metadata:
  name: ${name}
${namespace === undefined ? '' : `  namespace: ${namespace}\n`}  labels:
    app.kubernetes.io/name: evenkeel
    app.kubernetes.io/component: ${component}
`;
}

/** A comment, wrapped into lines. */
export function wrapped(text = '', indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((each) => each !== '')) {
    if (line !== '' && indent.length + 2 + line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => `${indent}# ${each}\n`).join('');
}

function ruleYaml({ why, apiGroups, resources, resourceNames, verbs }: PermissionRule): string {
  const names = resourceNames === undefined ? '' : `    resourceNames:${list(resourceNames)}\n`;
  return `${wrapped(why, '  ')}  - apiGroups:${list(apiGroups)}
    resources:${list(resources)}
${names}    verbs:${list(verbs)}
`;
}

/** On one line if it fits. */
function list(words: readonly string[]): string {
  const written = words.map((word) => (word === '' ? '""' : word));
  const line = `[${written.join(', ')}]`;
  return line.length < LINE_WIDTH - 20 ? ` ${line}` : written.map((word) => `\n      - ${word}`).join('');
}
