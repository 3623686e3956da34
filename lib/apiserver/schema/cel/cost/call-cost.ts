import type { FieldType } from '../evaluator.ts';
import {
  capped,
  costOfSize,
  fixedSize,
  MAX_UNITS,
  type SizeRange,
  sizeProduct,
  sizeSum,
  UNKNOWN_SIZE,
} from './size-range.ts';

/** An argument of a function, or its target. */
export interface Operand {
  /** Undefined when the library did not check it. */
  readonly type: FieldType | undefined;
  readonly size: SizeRange;
  /** Whether the expression itself gives the size. Otherwise a schema or a type gives it. */
  readonly sizeIsKnown: boolean;
  /** The size of the items, for a list; undefined for another value. */
  readonly itemSize: SizeRange | undefined;
  /** The value of a literal number. */
  readonly literal: number | undefined;
}

/** The cost of calling a function or operator, without the cost of its operands. */
export interface CallCost {
  readonly cost: number;
  readonly result?: SizeRange;
}

/** A call of a function: `target.name(args)`, or `name(args)` without a target. */
export type EstimateCall = (target: Operand | undefined, args: readonly Operand[]) => CallCost;

// The weights of cel-go (common/cost.go).
const TEXT_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;
const NEW_LIST = 10;

const ONE: CallCost = { cost: 1 };
const NOTHING: Operand = {
  type: undefined,
  size: UNKNOWN_SIZE,
  sizeIsKnown: false,
  itemSize: undefined,
  literal: undefined,
};

/** The highest cost of a call, by the rules of cel-go (checker/cost.go) and of Kubernetes (pkg/cel/library/cost.go). */
export function callCost(name: string, target: Operand | undefined, args: readonly Operand[]): CallCost {
  return FUNCTIONS.get(name)?.(target, args) ?? ONE;
}

/** The highest cost of an operator with two operands. The costs of `&&`, `||` and `? :` depend on their operands. */
export function operatorCost(operator: string, left: Operand, right: Operand): CallCost {
  switch (operator) {
    case '==':
      return equalityCost(left, right);
    case '!=':
      return { cost: comparisonCost(left, right) };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isText(left) || isText(right) || (isDynamic(left) && isDynamic(right))
        ? { cost: comparisonCost(left, right) }
        : ONE;
    case '+':
      return additionCost(left, right);
    case 'in':
      return right.type?.kind === 'map' ? ONE : { cost: Math.max(isDynamic(right) ? 1 : 0, costOfSize(right.size, 1)) };
    default:
      return ONE;
  }
}

function isText({ type }: Operand): boolean {
  return type?.type === 'string' || type?.type === 'bytes';
}

function isDynamic({ type }: Operand): boolean {
  return type === undefined || type.kind === 'dyn';
}

function comparisonCost(left: Operand, right: Operand): number {
  return Math.ceil(Math.min(left.size.max, right.size.max) * TEXT_FACTOR);
}

function equalityCost(left: Operand, right: Operand): CallCost {
  const type = left.type?.type;
  if (type !== undefined && type === right.type?.type) {
    if (type === 'kubernetes.Quantity') return ONE;
    if (type === 'kubernetes.URL') return { cost: Math.ceil((right.sizeIsKnown ? right.size.max : 1) * TEXT_FACTOR) };
  }
  return { cost: comparisonCost(left, right) };
}

function additionCost(left: Operand, right: Operand): CallCost {
  const result = sizeSum(left.size, right.size);
  if (left.type?.kind === 'list' || right.type?.kind === 'list') return { cost: 1, result };
  if (!isText(left) && !isText(right) && !(isDynamic(left) && isDynamic(right))) return ONE;
  return { cost: Math.max(isDynamic(left) ? 1 : 0, costOfSize(result, TEXT_FACTOR)), result };
}

/** The function reads the whole text or list once. */
function overTarget(target: Operand | undefined): CallCost {
  const { itemSize, type, size } = target ?? NOTHING;
  if (itemSize === undefined) return { cost: costOfSize(size, TEXT_FACTOR) };
  const texts = type?.valueType?.type === 'string' || type?.valueType?.type === 'bytes';
  return { cost: capped(size.max * (1 + (texts ? costOfSize(itemSize, TEXT_FACTOR) : 0))) };
}

function sameText(target: Operand | undefined): CallCost {
  const { size } = target ?? NOTHING;
  return { cost: costOfSize(size, TEXT_FACTOR), result: size };
}

function readText(_: Operand | undefined, [text = NOTHING]: readonly Operand[]): CallCost {
  return { cost: costOfSize(text.size, TEXT_FACTOR) };
}

/** The pattern costs its own length for each character where it is tried. */
function patternCost(text: SizeRange, pattern: SizeRange): number {
  return capped(costOfSize(sizeSum(text, fixedSize(1)), TEXT_FACTOR) * costOfSize(pattern, PATTERN_FACTOR));
}

function findCost(target: Operand | undefined, [pattern = NOTHING]: readonly Operand[]): CallCost {
  const { size } = target ?? NOTHING;
  return { cost: patternCost(size, pattern.size), result: { min: 0, max: size.max } };
}

function matchesCost(target: Operand | undefined, args: readonly Operand[]): CallCost {
  const [text = NOTHING, pattern = NOTHING] = target === undefined ? args : [target, ...args];
  return { cost: patternCost(text.size, pattern.size) };
}

function containsCost(target: Operand | undefined, [part = NOTHING]: readonly Operand[]): CallCost {
  const { size } = target ?? NOTHING;
  return { cost: capped(costOfSize(size, TEXT_FACTOR) * costOfSize(part.size, TEXT_FACTOR)) };
}

function replaceCost(target: Operand | undefined, [from = NOTHING, to = NOTHING]: readonly Operand[]): CallCost {
  const { size } = target ?? NOTHING;
  const longest = replacedSize(size.max, from.size.min, to.size.max, to.size.max <= from.size.min);
  const shortest = replacedSize(size.min, from.size.max, to.size.min, from.size.max <= to.size.min);
  return { cost: costOfSize(size, 2 * TEXT_FACTOR), result: { min: shortest, max: longest } };
}

/**
 * The largest or smallest length of a text after each occurrence of a part was replaced. With `keeps`, the replacement
 * cannot move the bound, so the bound is the length of the text.
 */
function replacedSize(text: number, part: number, replacement: number, keeps: boolean): number {
  if (part === 0) return capped(capped(text + 1) * replacement + text);
  if (keeps) return text;
  return capped(Math.ceil(text / part) * replacement);
}

function splitCost(target: Operand | undefined, [, limit]: readonly Operand[]): CallCost {
  const { size } = target ?? NOTHING;
  return { cost: costOfSize(size, 2 * TEXT_FACTOR), result: { min: 0, max: unsigned(limit?.literal) ?? size.max } };
}

function joinCost(target: Operand | undefined, [separator]: readonly Operand[]): CallCost {
  const { size, itemSize } = target ?? NOTHING;
  const texts = itemSize === undefined ? fixedSize(0) : sizeProduct(size, itemSize);
  const gaps = { min: Math.max(0, size.min - 1), max: Math.max(0, size.max - 1) };
  const result = separator === undefined ? texts : sizeSum(texts, sizeProduct(separator.size, gaps));
  return { cost: costOfSize(result, TEXT_FACTOR), result };
}

/** Makes a new list and compares each item with every other item. */
function pairsCost(factor: number): EstimateCall {
  return (target) => {
    const { size } = target ?? NOTHING;
    const result = sizeProduct(size, size);
    return { cost: capped(costOfSize(result, factor) + 1 + NEW_LIST), result };
  };
}

const sortCost: EstimateCall = (target, args) =>
  pairsCost(target?.type?.valueType?.type === 'string' ? 2 + TEXT_FACTOR : 2)(target, args);

const sliceCost: EstimateCall = (target, [start, end]) => {
  const { size } = target ?? NOTHING;
  const items = (unsigned(end?.literal) ?? size.max) - (unsigned(start?.literal) ?? 0);
  const result = fixedSize(items < 0 ? MAX_UNITS : items);
  return { cost: capped(result.max + 1 + NEW_LIST), result };
};

function setsCost(factor: number): EstimateCall {
  return (_, [left = NOTHING, right = NOTHING]) => ({
    cost: capped(costOfSize(sizeProduct(left.size, right.size), factor) + 1),
  });
}

const toBytes: EstimateCall = (_, [text = NOTHING]) =>
  text.type?.type === 'string'
    ? { cost: costOfSize(text.size, TEXT_FACTOR), result: { min: text.size.min, max: capped(text.size.max * 4) } }
    : ONE;

const toText: EstimateCall = (_, [value = NOTHING]) =>
  value.type?.type === 'bytes'
    ? {
        cost: costOfSize(value.size, TEXT_FACTOR),
        result: { min: Math.floor(value.size.min / 4), max: value.size.max },
      }
    : ONE;

function unsigned(literal: number | undefined): number | undefined {
  return literal !== undefined && literal < 0 ? MAX_UNITS : literal;
}

const FUNCTIONS: ReadonlyMap<string, EstimateCall> = new Map<string, EstimateCall>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map(named(overTarget)),
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map(named(sameText)),
  ...['isIP', 'isCIDR', 'quantity', 'isQuantity', 'startsWith', 'endsWith'].map(named(readText)),
  ...['find', 'findAll'].map(named(findCost)),
  ['url', (_, [text]) => sameText(text)],
  ['format', (target) => ({ cost: costOfSize((target ?? NOTHING).size, TEXT_FACTOR) })],
  ['matches', matchesCost],
  ['contains', containsCost],
  ['replace', replaceCost],
  ['split', splitCost],
  ['join', joinCost],
  ['sort', sortCost],
  ['distinct', pairsCost(2)],
  ['slice', sliceCost],
  ['sets.contains', setsCost(1)],
  ['sets.intersects', setsCost(1)],
  ['sets.equivalent', setsCost(2)],
  ['bytes', toBytes],
  ['string', toText],
]);

function named(estimate: EstimateCall): (name: string) => [string, EstimateCall] {
  return (name) => [name, estimate];
}
