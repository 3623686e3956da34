import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../cli/command.ts';
import { type Diagnosis, note, ok, trouble, warning } from '../../../cli/doctor/diagnosis.ts';
import { report } from '../../../cli/doctor.ts';
import { RecordedTerminal } from '../../deployment/terminal/recorded-terminal.ts';

const WARNED = warning('AWS', 'the parts were not compared', 'It needs a permission');
const FOUND = trouble('AWS', 'there is no table', 'Deploy it');
const invocation = { text: () => undefined } as unknown as Invocation;

describe('the report of the doctor', () => {
  it.each<[string, number, Diagnosis[]]>([
    ['everything is well', 0, [ok('AWS', 'table'), note('AWS', 'paused')]],
    ['there is trouble', 1, [WARNED, FOUND]],
    ['something could not be checked', 3, [ok('AWS', 'table'), WARNED]],
  ])('R-6.4 has an exit code of its own when %s', (_, code, diagnoses) => {
    expect(report(diagnoses, invocation, new RecordedTerminal(), 'stage prod')).toBe(code);
  });

  it('R-6.4 shows a warning and how many there are when something could not be checked', () => {
    const terminal = new RecordedTerminal();
    report([WARNED, WARNED], invocation, terminal, 'stage prod');
    expect(terminal.outLines).toContain('WARNING  AWS: the parts were not compared. It needs a permission');
    expect(terminal.errLines).toContain('evenkeel: 2 things of stage prod could not be checked');
  });
});
