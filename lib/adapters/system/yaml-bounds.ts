import { Lexer } from 'yaml';

/** The YAML library puts this before a plain or a block scalar. The next token is the text of the scalar. */
const SCALAR_FOLLOWS = '\u001f';
/** For each alias, the parser visits every node before it. This limit is about one second of such work. */
const MAX_ALIAS_WORK = 10_000_000;

/**
 * Why the YAML parser would recurse too deeply or take too long for a text; undefined when it would not. It reads only
 * the tokens, in linear time.
 * @param maxDepth of nested maps and lists. A column of indentation counts as a level.
 */
export function yamlBoundFault(source: string, maxDepth: number): 'depth' | 'aliases' | undefined {
  const depth = new YamlDepth();
  let tokens = 0;
  let aliasWork = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    if (!isScalar) {
      depth.add(token);
      if (depth.levels > maxDepth) return 'depth';
      if (token.startsWith('*')) aliasWork += tokens;
      if (aliasWork > MAX_ALIAS_WORK) return 'aliases';
    }
    isScalar = token === SCALAR_FOLLOWS;
  }
  return undefined;
}

class YamlDepth {
  /** The number of open brackets. */
  #flow = 0;
  /** The indentation of this line and the number of its indicators. */
  #block = 0;
  #isLineStart = true;

  get levels(): number {
    return this.#flow + this.#block;
  }

  add(token: string): void {
    const isLineStart = this.#isLineStart;
    this.#isLineStart = /^\r?\n$/.test(token);
    if (token === '[' || token === '{') this.#flow += 1;
    else if (token === ']' || token === '}') this.#flow = Math.max(0, this.#flow - 1);
    else if (this.#flow > 0) return;
    else if (this.#isLineStart) this.#block = 0;
    else if (isLineStart && /^ +$/.test(token)) this.#block = token.length;
    else if (token === '-' || token === '?' || token === ':') this.#block += 1;
  }
}
