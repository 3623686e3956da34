import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS_PAGE, readTests } from './read-tests.ts';
import { REQUIREMENTS, requirementsPage, titlesByRequirement } from './requirements.ts';

describe('docs/requirements.md', () => {
  it('names the tests there are (npm run requirements writes it)', () => {
    expect(readFileSync(REQUIREMENTS_PAGE, 'utf8')).toBe(requirementsPage(readTests()));
  });

  it('no test carries a number that there is no requirement for', () => {
    expect([...titlesByRequirement(readTests()).keys()].filter((number) => !(number in REQUIREMENTS))).toEqual([]);
  });

  it('finds the numbers of a title, whatever quotes it stands in', () => {
    const source = `it('R-1.1 R-1.2, I3 it\\'s one', f); it.each(x)("R-5.11: %s", f); describe(\`R-9.9 gone\`, f); it('plain', f)`;
    const found = titlesByRequirement({ 'a.test.ts': source });
    expect([...found.keys()]).toEqual(['R-1.1', 'R-1.2', 'R-5.11', 'R-9.9']);
    expect(found.get('R-1.1')).toEqual([{ file: 'a.test.ts', title: "it's one" }]);
  });
});
