import type { Checks } from './checks.ts';
import { invalid, NO_FIELD, type SchemaIssue } from './issue.ts';

const NONE: readonly SchemaIssue[] = [];

/** The errors of a number: first the range of its type, then multipleOf, minimum and maximum. */
export function numberIssues(checks: Checks, value: number | bigint, path: string): readonly SchemaIssue[] {
  const { minimum, maximum, multipleOf } = checks;
  const range = rangeIssue(checks, value, path);
  const divided = multipleOf === undefined || isMultiple(Number(value), multipleOf);
  const enough = minimum === undefined || (checks.exclusiveMinimum ? value > minimum : value >= minimum);
  const little = maximum === undefined || (checks.exclusiveMaximum ? value < maximum : value <= maximum);
  if (range === undefined && divided && enough && little) return NONE;

  const field = path === '' ? NO_FIELD : path;
  const issues: SchemaIssue[] = range === undefined ? [] : [range];
  if (!divided) issues.push(invalid(field, value, `${path} in body should be a multiple of ${multipleOf}`));
  if (!enough) {
    const bound = checks.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    issues.push(invalid(field, value, `${path} in body should be ${bound} ${minimum}`));
  }
  if (!little) {
    const bound = checks.exclusiveMaximum ? 'less than' : 'less than or equal to';
    issues.push(invalid(field, value, `${path} in body should be ${bound} ${maximum}`));
  }
  return issues;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function rangeIssue(checks: Checks, value: number | bigint, path: string): SchemaIssue | undefined {
  const type = checks.types.length === 1 ? checks.types[0] : '';
  if (fitsType(type ?? '', checks.format, Number(value))) return undefined;
  const format = checks.format === '' ? '(default format)' : `with format ${checks.format}`;
  return invalid(NO_FIELD, '', `Checked value must be of type ${type} ${format} in ${path}`);
}

function fitsType(type: string, format: string, value: number): boolean {
  if (type === 'integer') {
    if (!Number.isInteger(value)) return false;
    return format === 'int32'
      ? value === Math.trunc(value) && value >= -(2 ** 31) && value < 2 ** 31
      : Math.abs(value) <= 2 ** 63;
  }
  return !(type === 'number' && format === 'float') || Math.abs(value) <= 3.4028234663852886e38;
}
