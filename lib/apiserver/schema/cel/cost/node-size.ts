import type { Ast, FieldType } from '../evaluator.ts';
import { fixedSize, type SizeRange } from './size-range.ts';

const SCALARS: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'int',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);

/** Whether every value of the type has the size 1. */
export function isScalar(type: FieldType): boolean {
  if (type.kind === 'optional') return type.valueType !== undefined && isScalar(type.valueType);
  return SCALARS.has(type.type ?? '');
}

/** The value of a literal number. */
export function literalOf(node: Ast): number | undefined {
  const sign = node.op === '-_' ? -1 : 1;
  const value = node.op === '-_' ? (node.args as Ast).args : node.args;
  const isLiteral = node.op === 'value' || (node.op === '-_' && (node.args as Ast).op === 'value');
  return isLiteral && (typeof value === 'bigint' || typeof value === 'number') ? sign * Number(value) : undefined;
}

/** The size of a literal. */
export function literalSize(node: Ast): SizeRange | undefined {
  if (node.op === 'list' || node.op === 'map') return fixedSize((node.args as unknown[]).length);
  if (literalOf(node) !== undefined) return fixedSize(1);
  if (node.op !== 'value') return undefined;
  if (typeof node.args === 'string') return fixedSize([...node.args].length);
  return fixedSize(node.args instanceof Uint8Array ? node.args.length : 1);
}
