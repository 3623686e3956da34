import { EvenkeelError } from './errors.ts';

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** A label selector in kubectl's form (`a=b,c!=d,e in (f,g),h notin (i),j,!k`), ready to match. */
export interface LabelSelector {
  readonly text: string;
  matches(labels: Labels | undefined): boolean;
}

const TERM =
  /\s*(?:(!)\s*([\w./-]+)|([\w./-]+)\s+(in|notin)\s*\(([^)]*)\)|([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)|([\w./-]+))\s*(?:,|$)/y;

/** @throws EvenkeelError INVALID_SELECTOR naming the part that is not one. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements: Requirement[] = [];
  TERM.lastIndex = 0;
  while (TERM.lastIndex < text.length) {
    const from = TERM.lastIndex;
    const match = TERM.exec(text);
    if (match === null) {
      throw new EvenkeelError(
        'INVALID_SELECTOR',
        `'${text.slice(from, from + 80)}' is not a label requirement. Write them as kubectl does: a=b,c!=d,e in (f,g),!h`,
      );
    }
    requirements.push(toRequirement(match));
  }
  return { text, matches: (labels = {}) => requirements.every((requirement) => requirement(labels)) };
}

function toRequirement(match: RegExpExecArray): Requirement {
  const [, , absentKey, setKey, setOperator, setValues, key, operator, value, presentKey] = match;
  if (absentKey !== undefined) return (labels) => !(absentKey in labels);
  if (presentKey !== undefined) return (labels) => presentKey in labels;
  if (setKey !== undefined) {
    const values = new Set((setValues ?? '').split(',').map((part) => part.trim()));
    return setOperator === 'in'
      ? (labels) => setKey in labels && values.has(labels[setKey] ?? '')
      : (labels) => !(setKey in labels) || !values.has(labels[setKey] ?? '');
  }
  const wanted = key ?? '';
  return operator === '!='
    ? (labels) => !(wanted in labels) || labels[wanted] !== value
    : (labels) => wanted in labels && labels[wanted] === value;
}
