import type {
  PlannedChange,
  PlannedEffect,
  PlannedField,
  PlannedName,
  PlanReport,
} from '../../lib/plan/report/plan-report.ts';

const LONGEST_VALUE = 100;
/** The number of fields that are printed for one object; JSON has all. */
const SHOWN_FIELDS = 20;
const VERBS: Readonly<Record<PlannedChange['change'], string>> = {
  deleted: 'delete',
  created: 'create',
  applied: 'change',
  status: 'status',
};

/** The lines of a plan for a person, the most dangerous changes first. */
export function planLines(report: PlanReport): string[] {
  const { objects, errors, externalCalls, refusedConnections, outcomes, definitions, unchanged, changed } = report;
  const { uncomparedDefinitions } = report;
  return [
    headline(report),
    ...objects.flatMap(changeLines),
    ...definitions.flatMap(({ name, objects: affected }) => affected.map((effect) => effectLine(name, effect))),
    ...uncomparedDefinitions.map(
      (name) => `unknown ${name}: its CustomResourceDefinition could not be compared, because it may not be read`,
    ),
    ...externalCalls.map(
      ({ by, call }) => `call    ${call}  by ${nameText(by)}: not called; what follows it is not planned`,
    ),
    ...outcomes.map((each) => `stopped ${nameText(each)}: ${each.outcome} ${each.reason}`),
    ...refusedConnections.flatMap(({ by, to, stack }) => [
      `refused connection to ${to}  by ${by === undefined ? 'a module while it was loaded' : nameText(by)}`,
      ...stack.map((line) => `          ${line}`),
    ]),
    ...errors.map((error) => `error   ${nameText(error)}: ${error.error}`),
    `${count(changed, 'object')} would change; ${count(unchanged, 'reconciled object')} would change nothing; ${count(errors.length, 'error')}`,
  ];
}

export function headline({ restartedPods, deletedObjects, touchedSecrets }: PlanReport): string {
  return `restarts ${count(restartedPods, 'Pod')}, deletes ${count(deletedObjects, 'object')}, touches ${count(touchedSecrets, 'Secret')}`;
}

function changeLines(change: PlannedChange): string[] {
  const by = change.by.filter(({ kind, name, namespace }) => {
    return kind !== change.kind || name !== change.name || namespace !== change.namespace;
  });
  const writers = by.length === 0 ? '' : `  by ${by.map(nameText).join(', ')}`;
  return [
    `${VERBS[change.change].padEnd(7)} ${nameText(change)}${writers}`,
    ...change.fields.slice(0, SHOWN_FIELDS).map((field) => `          ${fieldText(field)}`),
    ...(change.fields.length > SHOWN_FIELDS
      ? [`          and ${change.fields.length - SHOWN_FIELDS} more fields`]
      : []),
  ];
}

function effectLine(kind: string, { namespace, name, invalid, lost, gained }: PlannedEffect): string {
  const parts = [
    ...(invalid.length === 0
      ? []
      : [`becomes invalid: ${invalid.map(({ path, reason }) => `${path} (${reason})`).join(', ')}`]),
    ...(lost.length === 0 ? [] : [`loses ${lost.join(', ')}`]),
    ...(gained.length === 0 ? [] : [`gains ${gained.join(', ')}`]),
  ];
  return `schema  ${nameText({ kind, namespace, name })} ${parts.join('; ')}`;
}

function fieldText(field: PlannedField): string {
  if ('hidden' in field) return `${field.path}: ${field.hidden}`;
  if (field.before === undefined) return `${field.path}: ${valueText(field.after)}`;
  return `${field.path}: ${valueText(field.before)} -> ${valueText(field.after)}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
}

function nameText({ kind, namespace, name }: PlannedName): string {
  return [kind, namespace, name].filter((part) => part !== '').join('/');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
