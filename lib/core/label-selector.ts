import { EvenkeelError } from './errors.ts';

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** A label selector in kubectl's form (`a=b,c!=d,e in (f,g),h notin (i),j,!k,l>5`), ready to match. */
export interface LabelSelector {
  readonly text: string;
  matches(labels: Labels | undefined): boolean;
}

const TOKEN = /[ \t\r\n]*(?:(?<symbol>==|!=|[=!<>(),])|(?<word>[^ \t\r\n=!<>(),]+))/gy;
const DOMAIN_PART = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
/** A name, after an optional DNS name. */
const KEY = new RegExp(
  `^(?:(?=[^/]{1,253}/)${DOMAIN_PART}(?:\\.${DOMAIN_PART})*/)?[A-Za-z0-9](?:[-\\w.]{0,61}[A-Za-z0-9])?$`,
);
const VALUE = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;
/** Kubernetes compares signed integers of 64 bits as numbers, and a label's value has no sign. */
const INTEGER = /^\d+$/;
const LARGEST_INTEGER = 2n ** 63n - 1n;

/**
 * Reads a label selector by the rules of the API server, because the relay sends it there.
 * @throws EvenkeelError INVALID_SELECTOR that names the invalid part.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  while (!tokens.isAtEnd) {
    requirements.push(parseRequirement(tokens));
    if (tokens.isAtEnd) break;
    tokens.expect(',');
    if (tokens.isAtEnd) throw tokens.fault('a requirement is missing behind the last comma');
  }
  return { text, matches: (labels = {}) => requirements.every((requirement) => requirement(labels)) };
}

function parseRequirement(tokens: Tokens): Requirement {
  tokens.startRequirement();
  const isNegated = tokens.take('!');
  const key = tokens.key();
  const has = (labels: Labels) => Object.hasOwn(labels, key);
  if (isNegated) return (labels) => !has(labels);
  if (tokens.isAtEnd || tokens.next === ',') return has;
  const operator = tokens.operator();
  switch (operator) {
    case 'in':
    case 'notin': {
      const values = tokens.values();
      const isIn = (labels: Labels) => has(labels) && values.has(labels[key] ?? '');
      return operator === 'in' ? isIn : (labels) => !isIn(labels);
    }
    case '=':
    case '==':
    case '!=': {
      const value = tokens.value();
      const isEqual = (labels: Labels) => has(labels) && labels[key] === value;
      return operator === '!=' ? (labels) => !isEqual(labels) : isEqual;
    }
    case '>':
    case '<': {
      const bound = integerOf(tokens.value());
      if (bound === undefined) throw tokens.fault(`"${operator}" compares with a whole number`);
      return (labels) => {
        const found = has(labels) ? integerOf(labels[key] ?? '') : undefined;
        return found !== undefined && (operator === '>' ? found > bound : found < bound);
      };
    }
  }
}

function integerOf(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value <= LARGEST_INTEGER ? value : undefined;
}

const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'] as const;
type Operator = (typeof OPERATORS)[number];

/** The tokens of a selector, one after the other. */
class Tokens {
  readonly #text: string;
  readonly #tokens: { readonly text: string; readonly from: number }[] = [];
  #index = 0;
  /** The start of the requirement that is being read, for messages. */
  #from = 0;

  constructor(text: string) {
    this.#text = text;
    // Every character except white space starts a token, so only white space is left out.
    for (const match of text.matchAll(TOKEN)) {
      const { symbol, word = '' } = match.groups ?? {};
      const token = symbol ?? word;
      this.#tokens.push({ text: token, from: match.index + match[0].length - token.length });
    }
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#tokens.length;
  }

  get next(): string | undefined {
    return this.#tokens[this.#index]?.text;
  }

  startRequirement(): void {
    this.#from = this.#tokens[this.#index]?.from ?? this.#text.length;
  }

  take(symbol: string): boolean {
    if (this.next !== symbol) return false;
    this.#index += 1;
    return true;
  }

  expect(symbol: string): void {
    if (!this.take(symbol)) throw this.fault(`${this.#found()} stands where "${symbol}" or the end is expected`);
  }

  key(): string {
    const word = this.next ?? '';
    if (!KEY.test(word)) throw this.fault(`${this.#found()} is not a label's key`);
    this.#index += 1;
    return word;
  }

  operator(): Operator {
    const operator = OPERATORS.find((known) => known === this.next);
    if (operator === undefined) throw this.fault(`${this.#found()} is not one of ${OPERATORS.join(', ')}`);
    this.#index += 1;
    return operator;
  }

  /** A value may be empty, as in `a=` and `a=,b`. */
  value(): string {
    const word = this.next ?? '';
    if (word === ',' || word === ')') return '';
    if (!VALUE.test(word)) throw this.fault(`${this.#found()} is not a label's value`);
    this.#index += 1;
    return word;
  }

  /** `(a, b)` */
  values(): Set<string> {
    if (!this.take('(')) throw this.fault(`${this.#found()} stands where "(" is expected`);
    const values = new Set([this.value()]);
    while (this.take(',')) values.add(this.value());
    if (!this.take(')')) throw this.fault(`${this.#found()} stands where "," or ")" is expected`);
    return values;
  }

  fault(why: string): EvenkeelError {
    const part = this.#text.slice(this.#from, this.#from + 40).trim();
    return new EvenkeelError(
      'INVALID_SELECTOR',
      `'${part}' is not a label requirement: ${why}. Write them as kubectl does: a=b,c!=d,e in (f,g),!h,i>5`,
    );
  }

  #found(): string {
    return this.next === undefined ? 'the end' : `"${this.next.slice(0, 20)}"`;
  }
}
