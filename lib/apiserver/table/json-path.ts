import { isObject, type JsonObject, type JsonValue } from '../json.ts';

type Step = (values: readonly JsonValue[]) => JsonValue[];

/** Reads all values that a JSONPath names, in order; none when a part of the path is missing. */
export type JsonPath = (object: JsonObject) => JsonValue[];

/**
 * Compiles the JSONPath of a printer column or selectable field, such as
 * `.status.conditions[?(@.type=="Ready")].status`. Supports members, quoted members, indexes (also from the end),
 * `[*]`, and `?()` filters that compare by == or !=.
 * @throws Error for any other expression.
 */
export function compileJsonPath(path: string): JsonPath {
  const steps = parse(path);
  return (object) => steps.reduce<readonly JsonValue[]>((values, step) => step(values), [object]) as JsonValue[];
}

function parse(path: string): Step[] {
  const steps: Step[] = [];
  let rest = path.startsWith('$') ? path.slice(1) : path;
  while (rest !== '') {
    const dotted = /^\.((?:\\.|[^.[\]\\])+)/.exec(rest);
    if (dotted !== null) {
      const name = (dotted[1] ?? '').replaceAll(/\\(.)/g, '$1');
      steps.push(name === '*' ? children : member(name));
      rest = rest.slice(dotted[0].length);
      continue;
    }
    const bracket = /^\[(\?\((?:[^()'"]|'[^']*'|"[^"]*")*\)|'[^']*'|"[^"]*"|\*|-?\d+)\]/.exec(rest);
    if (bracket === null) throw new Error(`the JSONPath ${path} is not understood at ${JSON.stringify(rest)}`);
    steps.push(bracketStep(bracket[1] ?? '', path));
    rest = rest.slice(bracket[0].length);
  }
  return steps;
}

function bracketStep(inside: string, path: string): Step {
  if (inside === '*') return children;
  if (/^['"]/.test(inside)) return member(inside.slice(1, -1));
  if (!inside.startsWith('?')) return element(Number(inside));
  const filter = /^\?\(\s*@(\.[^\s=!<>()]+)\s*(==|!=)(.+)\)$/.exec(inside);
  if (filter === null) throw new Error(`the JSONPath ${path} has a filter that is not understood: ${inside}`);
  const [, left = '', operator, literal = ''] = filter;
  const operand = parse(left);
  const wanted = parseLiteral(literal.trim(), path);
  return (values) =>
    children(values).filter((value) => {
      const found = operand.reduce<readonly JsonValue[]>((each, step) => step(each), [value]);
      if (found.length === 0) return false;
      return found.some((each) => each === wanted) === (operator === '==');
    });
}

function parseLiteral(literal: string, path: string): JsonValue {
  if (/^'.*'$|^".*"$/.test(literal)) return literal.slice(1, -1);
  if (literal === 'true' || literal === 'false') return literal === 'true';
  if (/^-?\d+(\.\d+)?$/.test(literal)) return Number(literal);
  throw new Error(`the JSONPath ${path} compares with ${literal}, which is not a literal`);
}

function member(name: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!isObject(value) || !Object.hasOwn(value, name)) return [];
      const found = value[name];
      return found === undefined ? [] : [found];
    });
}

function element(index: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = Array.isArray(value) ? value.at(index) : undefined;
      return found === undefined ? [] : [found];
    });
}

const children: Step = (values) =>
  values.flatMap((value) => {
    if (Array.isArray(value)) return value;
    return isObject(value) ? Object.values(value) : [];
  });
