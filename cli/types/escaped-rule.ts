import type { JsonObject } from '../../lib/core/kube-object.ts';
import { celName, isReserved } from '../../lib/kit/schema/cel-name.ts';
import { codeOf, fieldsOf } from '../../lib/kit/schema/rule-names.ts';
import { isFields } from '../../lib/kit/value-at.ts';

/** A value, and the fields that are selected from it one after the other. */
const CHAIN = /(?<root>[A-Za-z_]\w*|[)\]])(?<steps>(?:\s*\.\s*\??\s*[A-Za-z_]\w*)+)(?!\w)/g;
const STEP = /(?<dot>\s*\.\s*\??\s*)(?<word>[A-Za-z_]\w*)/g;

/**
 * A rule of an existing definition as `defineKind` takes it. Newer API servers take a field by its own name although CEL reserves
 * that word (`self.namespace`). Every API server takes its escaped name (`self.__namespace__`).
 * @param schema the schema that has the rule.
 */
export function escapedRule(rule: string, schema: JsonObject): string {
  const fields = fieldsOf(schema);
  const edits: Edit[] = [];
  for (const { groups, index, 0: whole } of codeOf(rule).matchAll(CHAIN)) {
    const { root = '', steps = '' } = groups ?? {};
    const start = root === 'self' || root === 'oldSelf' ? schema : undefined;
    edits.push(...chainEdits(steps, index + whole.length - steps.length, start, fields));
  }
  return edits.reduceRight((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), rule);
}

/** A rule with its condition, and the expression of its message. */
export function escapedTexts(given: JsonObject, schema: JsonObject): JsonObject {
  const texts = ['rule', 'messageExpression'].flatMap((part) => {
    const text = given[part];
    return typeof text === 'string' ? [[part, escapedRule(text, schema)]] : [];
  });
  return { ...given, ...Object.fromEntries(texts) };
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** @param offset where the steps begin in the rule. @param schema of the value before the first step, if it is known. */
function chainEdits(
  steps: string,
  offset: number,
  schema: JsonObject | undefined,
  fields: ReadonlySet<string>,
): Edit[] {
  const edits: Edit[] = [];
  let at = schema;
  for (const { groups, index, 0: whole } of steps.matchAll(STEP)) {
    const { dot = '', word = '' } = groups ?? {};
    const { properties, additionalProperties } = at ?? {};
    const [from, to] = [offset + index, offset + index + whole.length];
    if (isFields(properties) && word in properties) {
      if (isReserved(word)) edits.push({ from, to, by: `${dot}${celName(word)}` });
      at = properties[word] as JsonObject;
    } else if (isFields(additionalProperties)) {
      // A key of a map has no other name.
      if (isReserved(word) && fields.has(word))
        edits.push({ from, to, by: `[${dot.includes('?') ? '?' : ''}'${word}']` });
      at = additionalProperties as JsonObject;
    } else {
      if (at === undefined && isReserved(word) && fields.has(word))
        edits.push({ from, to, by: `${dot}${celName(word)}` });
      at = undefined;
    }
  }
  return edits;
}
