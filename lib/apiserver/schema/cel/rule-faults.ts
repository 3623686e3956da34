import { type JsonObject, stringAt } from '../../json.ts';
import { invalid, notSupported, required, type SchemaIssue } from '../issue.ts';
import { normalizeFieldPath } from './field-path.ts';
import { RULE_REASONS } from './rule.ts';

const LINE_BREAK = /[\n\r]/;

/** The errors of an entry of x-kubernetes-validations, found before its expressions are compiled. */
export function ruleFaults(rule: JsonObject, schema: JsonObject, path: string): readonly SchemaIssue[] {
  const faults: SchemaIssue[] = [];
  const expression = stringAt(rule, 'rule').trim();
  const message = stringAt(rule, 'message');
  const messageExpression = stringAt(rule, 'messageExpression');
  const fieldPath = stringAt(rule, 'fieldPath');
  const reason = rule.reason;
  if (expression === '') {
    faults.push(required(`${path}.rule`, 'rule is not specified'));
  } else if (message !== '' && message.trim() === '') {
    faults.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (LINE_BREAK.test(message.trim())) {
    faults.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (LINE_BREAK.test(expression) && message.trim() === '') {
    faults.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    faults.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !RULE_REASONS.includes(String(reason))) {
    faults.push(notSupported(`${path}.reason`, reason, RULE_REASONS));
  }
  if (fieldPath !== '' && fieldPath.trim() === '') {
    faults.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (LINE_BREAK.test(fieldPath)) {
    faults.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  }
  if (fieldPath !== '' && normalizeFieldPath(fieldPath, schema) === undefined) {
    faults.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return faults;
}
