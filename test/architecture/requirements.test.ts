import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS_PAGE, readTests } from './read-tests.ts';
import { REQUIREMENTS, requirementsPage, titlesByRequirement } from './requirements.ts';

describe('docs/requirements.md', () => {
  it('names the tests there are (npm run requirements writes it)', () => {
    expect(readFileSync(REQUIREMENTS_PAGE, 'utf8')).toBe(requirementsPage(readTests()));
  });

  const unknownNumbers = (files: Readonly<Record<string, string>>) =>
    [...titlesByRequirement(files).keys()].filter((number) => !Object.hasOwn(REQUIREMENTS, number));

  it('no test carries a number that there is no requirement for', () => {
    expect(unknownNumbers(readTests())).toEqual([]);
  });

  it('a number that there is no requirement for is found in a title', () => {
    expect(unknownNumbers({ 'a.test.ts': "it('R-1.1 R-9.9 holds', f);" })).toEqual(['R-9.9']);
  });

  it('the page is out of date as soon as a title changes', () => {
    const page = requirementsPage({ 'a.test.ts': "it('R-1.1 holds', f);" });
    expect(page).not.toBe(requirementsPage({ 'a.test.ts': "it('R-1.1 holds on', f);" }));
    expect(page).not.toBe(requirementsPage({ 'b.test.ts': "it('R-1.1 holds', f);" }));
    expect(page).toContain('- `a.test.ts`\n  - holds');
  });

  it('finds the numbers of a title, whatever quotes it stands in', () => {
    const source = `it('R-1.1 R-1.2, I3 it\\'s one', f); it.each(x)("R-5.11: %s", f); describe(\`R-9.9 gone\`, f); it('plain', f)`;
    const found = titlesByRequirement({ 'a.test.ts': source });
    expect([...found.keys()]).toEqual(['R-1.1', 'R-1.2', 'R-5.11', 'R-9.9']);
    expect(found.get('R-1.1')).toEqual([{ file: 'a.test.ts', title: "it's one" }]);
  });
});
