import { badRequest } from '../api-error.ts';
import type { JsonObject } from '../json.ts';

type Requirement = (labels: JsonObject) => boolean;

/** Whether an object's labels satisfy the selector. */
export type LabelSelector = (labels: JsonObject) => boolean;

const key = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const value = '[-A-Za-z0-9_.]*';
const setForm = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const equalityForm = new RegExp(`^(${key})\\s*(==|=|!=)\\s*(${value})$`);
const numericForm = new RegExp(`^(${key})\\s*([<>])\\s*(\\d{1,18})$`);
const existenceForm = new RegExp(`^(!?)\\s*(${key})$`);

/**
 * Parses a label selector such as `app=web,tier in (a, b),!canary`. Answers undefined for an empty one.
 * Throws the ApiError of a bad request when it cannot be parsed.
 */
export function parseLabelSelector(selector: string): LabelSelector | undefined {
  if (selector.trim() === '') return undefined;
  const requirements = splitOutsideParentheses(selector).map((part) => parseRequirement(part.trim()));
  return (labels) => requirements.every((requirement) => requirement(labels));
}

function splitOutsideParentheses(selector: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of selector) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function parseRequirement(part: string): Requirement {
  const set = setForm.exec(part);
  if (set !== null) {
    const [, name = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((each) => each.trim()));
    return operator === 'in'
      ? (labels) => Object.hasOwn(labels, name) && values.has(String(labels[name]))
      : (labels) => !Object.hasOwn(labels, name) || !values.has(String(labels[name]));
  }
  const equality = equalityForm.exec(part);
  if (equality !== null) {
    const [, name = '', operator, wanted = ''] = equality;
    const isEqual = (labels: JsonObject) => Object.hasOwn(labels, name) && labels[name] === wanted;
    return operator === '!=' ? (labels) => !isEqual(labels) : isEqual;
  }
  const numeric = numericForm.exec(part);
  if (numeric !== null) {
    const [, name = '', operator, bound = ''] = numeric;
    return (labels) => {
      const found = Object.hasOwn(labels, name) ? String(labels[name]) : '';
      if (!/^\d{1,18}$/.test(found)) return false;
      return operator === '>' ? BigInt(found) > BigInt(bound) : BigInt(found) < BigInt(bound);
    };
  }
  const existence = existenceForm.exec(part);
  if (existence !== null) {
    const [, negation, name = ''] = existence;
    return negation === '!' ? (labels) => !Object.hasOwn(labels, name) : (labels) => Object.hasOwn(labels, name);
  }
  throw badRequest(`unable to parse requirement: ${JSON.stringify(part)} is not a label requirement`);
}
