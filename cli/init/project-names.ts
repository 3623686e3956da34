import { basename } from 'node:path';
import { takenControllerNames } from '../../lib/deployment/author/own-controllers.ts';
import { UsageError } from '../usage-error.ts';

/** The names in a new project. */
export interface ProjectNames {
  /** The name of the package, e.g. `greeter`. */
  readonly name: string;
  /** The API group of its kind, e.g. `example.com`. */
  readonly group: string;
  /** E.g. `Greeting`. */
  readonly kind: string;
  /** The kind in lower case and its plural, as in URLs. */
  readonly singular: string;
  readonly plural: string;
  /** The name of the kind in sources, e.g. `Greetings`. */
  readonly constant: string;
  /** The name of the controller and its controller group. It is a part of the names of queues and Leases. */
  readonly controller: string;
  /** The name of the controller in sources, e.g. `greetingController`. */
  readonly variable: string;
}

export interface AskedNames {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
}

export const DEFAULT_GROUP = 'example.com';
export const DEFAULT_KIND = 'Greeting';

/** The default name of a project: the name of its folder, as far as it is valid for a package and a service. */
export function defaultName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name.length < 2 ? 'controllers' : name;
}

const RULES: Readonly<Record<keyof AskedNames, { readonly pattern: RegExp; readonly rule: string }>> = {
  name: {
    // The Serverless Framework requires a letter at the start, and two characters.
    pattern: /^[a-z][-a-z0-9]{0,38}[a-z0-9]$/,
    rule: '2 to 40 lower-case letters, digits and dashes, the first one a letter, such as greeter',
  },
  group: {
    pattern: /^(?=.{1,200}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$/,
    rule: 'a domain in lower case, such as example.com',
  },
  kind: {
    pattern: /^[A-Z][A-Za-z0-9]{0,38}$/,
    rule: 'a capital letter and up to 38 letters and digits, such as Greeting',
  },
};

/** API groups of the cluster itself or of evenkeel. */
const RESERVED_GROUP = /(^|\.)k8s\.io$|(^|\.)kubernetes\.io$|(^|\.)evenkeel\.dev$/;

/** Imports of the written sources. A kind with such a name would conflict with them. */
const IMPORTED = new Set(['ConfigMaps', 'defineController']);

/** Names that kubectl's YAML parser reads as true or false. */
const YAML_WORDS = new Set(['Yes', 'No', 'On', 'Off', 'Y', 'N']);

/** The error in one of the names; undefined when it is valid. */
export function nameFault(what: keyof AskedNames, text: string): string | undefined {
  const { pattern, rule } = RULES[what];
  if (!pattern.test(text)) return `the ${what} cannot be "${text}". It must be ${rule}.`;
  if (what === 'group' && RESERVED_GROUP.test(text)) {
    return `the group cannot be "${text}": it is reserved. Use a domain of your own, such as example.com.`;
  }
  if (what !== 'kind') return undefined;
  const why = kindFault(text);
  return why === undefined ? undefined : `the kind cannot be "${text}": ${why}. Use another one, such as My${text}.`;
}

function kindFault(kind: string): string | undefined {
  const { constant, controller, variable } = sourceNames(kind);
  if (YAML_WORDS.has(kind)) return 'YAML reads it as true or false';
  if (IMPORTED.has(constant) || IMPORTED.has(variable))
    return 'the sources of the project import something of that name';
  return takenControllerNames().has(controller) ? `the controller name ${controller} is evenkeel's own` : undefined;
}

/** @throws UsageError with the first fault. */
export function projectNames({ name, group, kind }: AskedNames): ProjectNames {
  for (const [what, text] of Object.entries({ name, group, kind })) {
    const fault = nameFault(what as keyof AskedNames, text);
    if (fault !== undefined) throw new UsageError(`${fault} Name it with --${what}.`);
  }
  const singular = kind.toLowerCase();
  return { name, group, kind, singular, plural: pluralOf(singular), ...sourceNames(kind) };
}

function sourceNames(kind: string): Pick<ProjectNames, 'constant' | 'controller' | 'variable'> {
  const controller = kind
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .slice(0, 40)
    .replace(/-$/, '');
  const camelCase = controller.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  // A kind in lower case may be a reserved word of JavaScript.
  return { constant: pluralOf(kind), controller, variable: `${camelCase}Controller` };
}

/** The English plural; `plural` in controllers.ts can set another one. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
