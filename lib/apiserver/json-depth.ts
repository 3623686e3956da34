import type { JsonValue } from './json.ts';

/**
 * The deepest nesting of objects and arrays that the server accepts from a client. The real server accepts 10,000
 * levels; the stack of this process holds fewer.
 */
export const MAX_JSON_DEPTH = 500;

/** Whether a JSON text is nested more deeply than MAX_JSON_DEPTH. Exact for valid JSON; an estimate for other texts. */
export function isTextTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isString) {
      if (character === '\\') index += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return false;
}

/** Whether a value is nested more deeply than MAX_JSON_DEPTH. Does not recurse. */
export function isTooDeep(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const containers = level.filter((each) => typeof each === 'object' && each !== null);
    if (containers.length > 0 && depth >= MAX_JSON_DEPTH) return true;
    level = containers.flatMap((each) => Object.values(each as object) as JsonValue[]);
  }
  return false;
}
