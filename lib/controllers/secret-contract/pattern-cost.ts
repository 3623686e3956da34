/**
 * An upper bound of the cost of compiling an expression, in steps of about 50 ns, computed from its text alone. RE2
 * needs more time for repetitions, which it writes out, and for large character classes that ignore case. It
 * also finds a group that is not closed, the most frequent mistake.
 */
export interface PatternCost {
  readonly steps: number;
  readonly isUnclosed: boolean;
}

/** The steps of one instruction of the compiled expression: it is parsed, simplified, emitted and optimised. */
const INSTRUCTION_STEPS = 40;
/** A Unicode class (`\pL`) is a table of ranges. When case is ignored, it is a table of characters. */
const TABLE_STEPS = { plain: 2_500, folded: 12_000 };
/** A class such as `\w` or `[:alpha:]`. */
const NAMED_CLASS_STEPS = { plain: 200, folded: 1_500 };
/** Characters outside this range have no upper or lower case. */
const FOLDED = { first: 0x41, last: 0x1e943 };

const CASE_FLAG = /\(\?[a-zA-Z]*i/;
const REPETITION = /\{(\d{1,9})(,(\d{0,9}))?\}/y;
const HEXADECIMAL = /x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/y;
const OCTAL = /[0-7]{1,3}/y;
const UNICODE_CLASS = /[pP](?:\{[^}]*\}|.)/suy;
const NAMED_CLASS = /\[:\^?[a-z]*:\]/y;
const GROUP_HEAD = /\?(?:P?<[^>]*>|[a-zA-Z-]*:?)/y;

export function patternCost(expression: string): PatternCost {
  return new Estimate(expression).run();
}

/** Reads an expression once. Sizes are upper bounds of compiled instructions. */
class Estimate {
  private readonly text: string;
  private readonly folds: boolean;
  private at = 0;
  private depth = 0;
  private classSteps = 0;
  private isUnclosed = false;

  constructor(text: string) {
    this.text = text;
    // A flag anywhere counts for the whole expression, so that the cost is never too low.
    this.folds = CASE_FLAG.test(text);
  }

  run(): PatternCost {
    let size = 3;
    // The compiler refuses an unmatched closing parenthesis.
    while (this.at < this.text.length) {
      size += this.alternation();
      this.at += 1;
    }
    return { steps: size * INSTRUCTION_STEPS + this.classSteps, isUnclosed: this.isUnclosed };
  }

  /** Up to the closing parenthesis, or the end. */
  private alternation(): number {
    let size = 0;
    let last = 0;
    while (this.at < this.text.length && this.text[this.at] !== ')') {
      const repeated = this.repetition(last);
      if (repeated !== undefined) {
        size += repeated - last;
        last = repeated;
        continue;
      }
      last = this.atom();
      size += last;
    }
    return size;
  }

  /** The size of the atom with the operator here applied; undefined when there is no operator. */
  private repetition(size: number): number | undefined {
    if ('*+?'.includes(this.text[this.at] ?? 'x')) {
      this.at += 1;
      return size + 1;
    }
    const counted = this.match(REPETITION);
    if (counted === undefined) return undefined;
    const [, least = '', more, most] = counted;
    // `{2}` is written out twice, `{2,}` twice and a loop, `{2,5}` five times, with optional parts.
    const times = more === undefined ? Number(least) : most === '' ? Number(least) + 1 : Number(most);
    return (size + (more === undefined ? 0 : 1)) * Math.max(times, 1) + 1;
  }

  private atom(): number {
    const char = this.text.codePointAt(this.at) ?? 0;
    this.at += char > 0xffff ? 2 : 1;
    switch (String.fromCodePoint(char)) {
      case '(':
        return this.group();
      case '[':
        return this.characterClass();
      case '\\':
        return this.escape();
      default:
        return 1;
    }
  }

  private group(): number {
    this.match(GROUP_HEAD);
    this.depth += 1;
    // No compiler accepts deeper nesting, so the rest is not read.
    const size = this.depth > 1_000 ? 0 : this.alternation();
    this.depth -= 1;
    if (this.at >= this.text.length) this.isUnclosed = true;
    this.at += 1;
    return size + 2;
  }

  private escape(): number {
    if (this.text[this.at] === 'Q') return this.quoted();
    this.escapedCharacter();
    return 1;
  }

  /** `\Q...\E`: a literal text without operators. */
  private quoted(): number {
    const end = this.text.indexOf('\\E', this.at);
    const length = (end < 0 ? this.text.length : end) - this.at;
    this.at = end < 0 ? this.text.length : end + 2;
    return length;
  }

  private characterClass(): number {
    if (this.text[this.at] === '^') this.at += 1;
    let isFirst = true;
    while (this.at < this.text.length && (isFirst || this.text[this.at] !== ']')) {
      isFirst = false;
      if (this.match(NAMED_CLASS) !== undefined) {
        this.classSteps += this.folds ? NAMED_CLASS_STEPS.folded : NAMED_CLASS_STEPS.plain;
        continue;
      }
      const low = this.classCharacter();
      if (this.text[this.at] !== '-' || (this.text[this.at + 1] ?? ']') === ']') {
        this.addRange(low, low);
        continue;
      }
      this.at += 1;
      this.addRange(low, this.classCharacter());
    }
    this.at += 1;
    return 1;
  }

  private classCharacter(): number | undefined {
    const char = this.text.codePointAt(this.at) ?? 0;
    this.at += char > 0xffff ? 2 : 1;
    return char === 0x5c ? this.escapedCharacter() : char;
  }

  /** The character of an escape; undefined for a class, whose cost is counted here. */
  private escapedCharacter(): number | undefined {
    if (this.match(UNICODE_CLASS) !== undefined) {
      this.classSteps += this.folds ? TABLE_STEPS.folded : TABLE_STEPS.plain;
      return undefined;
    }
    const hexadecimal = this.match(HEXADECIMAL);
    if (hexadecimal !== undefined) return Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '', 16);
    const octal = this.match(OCTAL);
    if (octal !== undefined) return Number.parseInt(octal[0], 8);
    const char = this.text.codePointAt(this.at) ?? 0;
    this.at += char > 0xffff ? 2 : 1;
    if ('dDsSwW'.includes(String.fromCodePoint(char))) {
      this.classSteps += this.folds ? NAMED_CLASS_STEPS.folded : NAMED_CLASS_STEPS.plain;
      return undefined;
    }
    return char;
  }

  private addRange(low: number | undefined, high: number | undefined): void {
    const first = Math.max(low ?? 0, FOLDED.first);
    const last = Math.min(high ?? FOLDED.last, FOLDED.last);
    this.classSteps += this.folds ? 2 + Math.max(0, last - first + 1) : 2;
  }

  private match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found === null) return undefined;
    this.at = expression.lastIndex;
    return found;
  }
}
