// Prints `PASSED FAILED` of one suite. Usage: node count-tests.mjs REPORT.json OUTPUT.log EXIT_CODE
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const [reportPath = '', outputPath = '', exitCode = '1'] = process.argv.slice(2);

const counts = fromReport() ?? fromOutput() ?? { passed: exitCode === '0' ? 1 : 0, failed: 0 };
// A suite that failed without a failed test (a crash, a broken file) counts as one failure.
const failed = exitCode !== '0' && counts.failed === 0 ? 1 : counts.failed;
process.stdout.write(`${counts.passed} ${failed}\n`);

function fromReport() {
  try {
    const report = JSON.parse(readFileSync(reportPath, 'utf8'));
    const brokenFiles = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
    ).length;
    return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles };
  } catch {
    return undefined;
  }
}

/** A line `N passed, N failed` of a runner of our own, or the sums of vitest's `Tests  N failed | N passed`. */
function fromOutput() {
  const lines = stripVTControlCharacters(readFileSync(outputPath, 'utf8')).split('\n');
  const plain = lines
    .map((line) => /^(\d+) passed, (\d+) failed$/.exec(line.trim()))
    .findLast((match) => match !== null);
  if (plain) return { passed: Number(plain[1]), failed: Number(plain[2]) };
  const totals = lines.filter((line) => /^\s*Tests\s+\d+ /.test(line));
  if (totals.length === 0) return undefined;
  const sum = (word) =>
    totals.reduce((total, line) => total + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);
  return { passed: sum('passed'), failed: sum('failed') };
}
