import { describe, expect, it } from 'vitest';
import { pemBlocks } from '../../../../lib/controllers/secret-contract/format/pem.ts';
import { unlessItHangs } from '../../../support/unless-it-hangs.ts';

const LONG = 1_000_000;
const block = '-----BEGIN A-----\nAAAA\n-----END A-----';

describe('pemBlocks', () => {
  it.each([
    ['a run of spaces within a line', `a${' '.repeat(LONG)}b`, 0],
    ['runs of tabs and form feeds within a line', `a${'\t\f'.repeat(LONG / 2)}b\n${block}`, 1],
    ['spaces around its lines', block.replaceAll(/^|$/gm, ' '.repeat(LONG / 10)), 1],
  ])('R-5.24 a value of a Secret is judged at once when it has %s', (_, text, blocks) => {
    expect(unlessItHangs(() => pemBlocks(Buffer.from(text)))).toHaveLength(blocks);
  });
});
