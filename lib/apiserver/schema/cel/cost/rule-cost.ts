import type { Ast } from '../evaluator.ts';
import { writtenName } from '../text-functions.ts';
import { type CallCost, callCost, type Operand, operatorCost } from './call-cost.ts';
import { type DeclaredSize, type MissingBound, sizeAt } from './declared-size.ts';
import { LOOPS, LOOPS_THAT_MAKE_LISTS, loopCosts, NEW_LIST } from './loop-cost.ts';
import { isScalar, literalOf, literalSize } from './node-size.ts';
import { capped, fixedSize, type SizeRange, sizeUnion, UNKNOWN_SIZE } from './size-range.ts';

const NEW_MAP = 30;

type Path = readonly string[];

/** The sizes of the keys and values of a list or map that the expression creates. */
interface EntrySize {
  readonly list: boolean;
  readonly key: SizeRange;
  readonly value: SizeRange;
}

interface Local {
  readonly path: Path;
  readonly size: SizeRange | undefined;
  readonly entry: EntrySize | undefined;
}

const OPTIONALS: ReadonlySet<string> = new Set(['optMap/2', 'optFlatMap/2']);
const NAMESPACES: ReadonlySet<unknown> = new Set(['sets', 'optional']);

/** The highest cost of an expression, and the bounds that its schema lacks. */
export interface RuleCost {
  readonly cost: number;
  readonly missing: readonly MissingBound[];
}

/**
 * The highest cost of a checked expression on values of the declared sizes, in the units of the real server. The real
 * server refuses a definition by this number (cel-go, checker/cost.go; Kubernetes sets the cost of `has` to 0).
 */
export function ruleCost(expression: Ast, root: DeclaredSize): RuleCost {
  const estimator = new Estimator(root);
  const cost = estimator.cost(expression);
  return { cost, missing: [...estimator.missing] };
}

class Estimator {
  readonly missing = new Set<MissingBound>();
  readonly #root: DeclaredSize;
  readonly #paths = new Map<Ast, Path>();
  readonly #sizes = new Map<Ast, SizeRange>();
  readonly #entries = new Map<Ast, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(root: DeclaredSize) {
    this.#root = root;
  }

  cost(node: Ast): number {
    return capped(this.#costOf(node));
  }

  #costOf(node: Ast): number {
    switch (node.op) {
      case 'value':
        return 0;
      case 'id':
        this.#paths.set(node, this.#local(node)?.path ?? [String(node.args)]);
        return 1;
      case '.':
        return this.#select(node);
      case '[]':
        return this.#index(node);
      case '.?':
        return 1 + this.cost((node.args as [Ast])[0]);
      case 'dynamicElement':
        return this.cost(node.args as Ast);
      case 'call':
      case 'rcall':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case '?:':
        return this.#conditional(node);
      case '!_':
      case '-_':
        return literalOf(node) === undefined ? 1 + this.cost(node.args as Ast) : 0;
      default:
        return this.#operator(node);
    }
  }

  #select(node: Ast): number {
    const [operand, field] = node.args as [Ast, string];
    const cost = this.cost(operand);
    this.#paths.set(node, [...this.#path(operand), field]);
    const kind = operand.checkedType?.kind;
    return cost + (kind === 'map' || kind === 'message' || kind === 'param' ? 1 : 0);
  }

  #index(node: Ast): number {
    const [operand, key] = node.args as [Ast, Ast];
    const cost = 1 + this.cost(operand) + this.cost(key);
    const kind = operand.checkedType?.kind;
    this.#paths.set(node, [...this.#path(operand), kind === 'list' ? '@items' : '@values']);
    this.#setSize(node, this.#entry(operand)?.value ?? this.#size(node));
    return cost;
  }

  #operator(node: Ast): number {
    const [left, right] = node.args as [Ast, Ast];
    const cost = this.cost(left) + this.cost(right);
    if (node.op === '&&' || node.op === '||') {
      this.#setSize(node, fixedSize(1));
      return cost;
    }
    const call = operatorCost(node.op, this.#operand(left), this.#operand(right));
    const [mine, theirs] = [this.#entry(left), this.#entry(right)];
    if (node.op === '+' && mine !== undefined && theirs !== undefined) this.#entries.set(node, united(mine, theirs));
    this.#setSize(node, call.result ?? this.#size(node));
    return cost + call.cost;
  }

  #conditional(node: Ast): number {
    const [condition, yes, no] = node.args as [Ast, Ast, Ast];
    const cost = this.cost(condition) + Math.max(this.cost(yes), this.cost(no));
    const [mine, theirs] = [this.#entry(yes), this.#entry(no)];
    if (mine !== undefined && theirs !== undefined) this.#entries.set(node, united(mine, theirs));
    this.#setSize(node, sizeUnion(this.#sizeOrUnknown(yes), this.#sizeOrUnknown(no)));
    return cost;
  }

  #list(node: Ast): number {
    const items = node.args as Ast[];
    const cost = items.reduce((sum, item) => sum + this.cost(item), NEW_LIST);
    this.#entries.set(node, { list: true, key: fixedSize(1), value: this.#unionOf(items) });
    return cost;
  }

  #map(node: Ast): number {
    const entries = node.args as [Ast, Ast][];
    const cost = entries.flat().reduce((sum, part) => sum + this.cost(part), NEW_MAP);
    const key = this.#unionOf(entries.map(([each]) => each));
    this.#entries.set(node, { list: false, key, value: this.#unionOf(entries.map(([, each]) => each)) });
    return cost;
  }

  #unionOf(nodes: readonly Ast[]): SizeRange {
    return nodes.length === 0
      ? fixedSize(0)
      : nodes.map((each) => this.#sizeOrUnknown(each)).reduce((all, each) => sizeUnion(all, each));
  }

  #call(node: Ast): number {
    const isMethod = node.op === 'rcall';
    const parts = node.args as unknown[];
    const receiver = isMethod ? (parts[1] as Ast) : undefined;
    const args = parts[isMethod ? 2 : 1] as Ast[];
    const name = writtenName(String(parts[0]));
    if (receiver === undefined) {
      // `has` reads the operand, but not its field.
      if (name === 'has') return this.cost(((args[0] as Ast).args as [Ast])[0]);
      if (name === 'dyn') return this.#sameAs(node, args[0] as Ast);
      return this.#function(node, name, undefined, args);
    }
    const signature = `${name}/${args.length}`;
    if (LOOPS.has(signature)) return this.#loop(node, signature, receiver, args);
    if (OPTIONALS.has(signature)) return this.#optional(name, receiver, args as [Ast, Ast]);
    const isNamespace = receiver.op === 'id' && NAMESPACES.has(receiver.args);
    return isNamespace
      ? this.#function(node, `${String(receiver.args)}.${name}`, undefined, args)
      : this.#function(node, name, receiver, args);
  }

  #sameAs(node: Ast, source: Ast): number {
    const cost = 1 + this.cost(source);
    this.#setSize(node, this.#size(source));
    const entry = this.#entry(source);
    if (entry !== undefined) this.#entries.set(node, entry);
    return cost;
  }

  #function(node: Ast, name: string, receiver: Ast | undefined, args: readonly Ast[]): number {
    const cost = args.reduce((sum, arg) => sum + this.cost(arg), receiver === undefined ? 0 : this.cost(receiver));
    const target = receiver === undefined ? undefined : this.#operand(receiver);
    const call: CallCost = callCost(
      name,
      target,
      args.map((arg) => this.#operand(arg)),
    );
    this.#setSize(node, call.result ?? this.#size(node));
    return cost + call.cost;
  }

  /** The cost of a macro over a list or over the keys of a map. The real server first expands the macro into a loop. */
  #loop(node: Ast, signature: string, range: Ast, args: readonly Ast[]): number {
    const rangeCost = this.cost(range);
    const [variable = node, first = node, second = node] = args;
    const rangeEntry = this.#entry(range);
    const isList = rangeEntry?.list ?? range.checkedType?.kind === 'list';
    const pop = this.#push(String(variable.args), {
      path: [...this.#path(range), isList ? '@items' : '@keys'],
      size: isList ? rangeEntry?.value : rangeEntry?.key,
      entry: undefined,
    });
    const firstCost = this.cost(first);
    const secondCost = signature === 'map/3' ? this.cost(second) : 0;
    const made = signature === 'filter/2' ? variable : signature === 'map/3' ? second : first;
    if (signature === 'filter/2') this.cost(variable);
    const itemSize = this.#sizeOrUnknown(made);
    pop();
    const { once, each } = loopCosts(signature, firstCost, secondCost);
    const count = this.#sizeOrUnknown(range);
    if (LOOPS_THAT_MAKE_LISTS.has(signature)) {
      this.#sizes.set(node, count);
      this.#entries.set(node, { list: true, key: fixedSize(1), value: sizeUnion(fixedSize(0), itemSize) });
    } else {
      this.#sizes.set(node, fixedSize(1));
    }
    return rangeCost + once + capped(count.max * each);
  }

  /** `o.hasValue() ? optional.of(expression with o.value() as the variable) : optional.none()` */
  #optional(name: string, receiver: Ast, [variable, expression]: [Ast, Ast]): number {
    const value = this.cost(receiver) + 1;
    const inner = receiver.checkedType?.valueType;
    const size = inner !== undefined && isScalar(inner) ? fixedSize(1) : undefined;
    const pop = this.#push(String(variable.args), { path: [], size, entry: undefined });
    const result = this.cost(expression);
    pop();
    const some = NEW_LIST + value + result + (name === 'optMap' ? 1 : 0);
    return value + Math.max(some, 1);
  }

  #push(name: string, local: Local): () => void {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, stack);
    stack.push(local);
    return () => void stack.pop();
  }

  #operand(node: Ast): Operand {
    const size = this.#size(node);
    const type = node.checkedType;
    const isList = type?.kind === 'list' || type?.kind === 'map';
    return {
      type,
      size: size ?? UNKNOWN_SIZE,
      sizeIsKnown: size !== undefined,
      itemSize: isList ? (this.#declared([...this.#path(node), '@items'], node) ?? UNKNOWN_SIZE) : undefined,
      literal: literalOf(node),
    };
  }

  #local(node: Ast): Local | undefined {
    return node.op === 'id' ? this.#locals.get(String(node.args))?.at(-1) : undefined;
  }

  #path(node: Ast): Path {
    return this.#local(node)?.path ?? this.#paths.get(node) ?? [];
  }

  #entry(node: Ast): EntrySize | undefined {
    return this.#entries.get(node) ?? this.#local(node)?.entry;
  }

  #setSize(node: Ast, size: SizeRange | undefined): void {
    if (size !== undefined) this.#sizes.set(node, size);
  }

  #sizeOrUnknown(node: Ast): SizeRange {
    return this.#size(node) ?? UNKNOWN_SIZE;
  }

  #size(node: Ast): SizeRange | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node) ?? this.#declared(this.#path(node));
    if (known !== undefined) {
      this.#sizes.set(node, known);
      return known;
    }
    if (node.checkedType !== undefined && isScalar(node.checkedType)) return fixedSize(1);
    return this.#local(node)?.size;
  }

  /**
   * The size that the schema declares for the part at a path. The first step is the name of a variable; every variable
   * is the root.
   */
  #declared(path: Path, list?: Ast): SizeRange | undefined {
    if (path.length === 0 || (list !== undefined && this.#path(list).length === 0)) return undefined;
    const declared = sizeAt(this.#root, path.slice(1));
    if (declared === undefined) return undefined;
    if (declared.missing !== undefined) this.missing.add(declared.missing);
    return { min: 0, max: declared.maxElements };
  }
}

function united(left: EntrySize, right: EntrySize): EntrySize {
  return { list: left.list, key: sizeUnion(left.key, right.key), value: sizeUnion(left.value, right.value) };
}
