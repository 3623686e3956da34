import type { PlantedFault } from '../planted-fault.ts';

const CONDITIONS = 'test/engine/pass/main-condition.test.ts';

/**
 * Faults that believe what authors return, and do not report what others need to know. No workload shows the last but
 * two of them: a unit test holds it.
 */
export const TRUSTING_AUTHORS: readonly PlantedFault[] = [
  {
    name: 'a terminal error that is thrown leaves the conditions as they were',
    needs: { workload: 'troubles' },
    expected: ['CHECK'],
    inside: 'fail',
    find: 'if (object === undefined || isSilent || options.takesOver) return failed;',
    replace: "if (object === undefined || mode === 'reconciled') return failed;",
    heldBy: {
      file: CONDITIONS,
      test: 'R-1.30 a terminal error sets Ready False with reason, message, generation and an Event at the first pass when it is %s',
    },
  },
  {
    name: 'conditions of others go with the next status',
    needs: { faults: ['status'] },
    expected: ['I3'],
    inside: 'GuardedWriter.publishStatus',
    find: 'const status = withForeignConditions(target.status, wanted, this.#options.conditions.owned);',
    replace: 'const status = wanted;',
    heldBy: {
      file: CONDITIONS,
      test: 'R-1.31 a foreign condition stays as it is through status writes and a terminal error: %s',
    },
  },
  {
    name: 'an invalid result rejects the pass',
    unseen: 'the error of the code that uses the result ends the pass in nearly the same way',
    expected: ['I8'],
    inside: 'AuthorCode.reconcile',
    find: 'return parseReconcileResult(returned, context.nowMs);',
    replace: 'return returned as ReconcileResult;',
    heldBy: {
      file: 'test/engine/author/author-results.test.ts',
      test: 'R-1.27 a pass ends as a committed retry, with its lease freed and its message acknowledged, when reconcile returns $what',
    },
  },
  {
    name: 'an event starts a pass that was put off for its crashes',
    unseen: 'the checker asks for the wait when a pass is put off, and an event may come before its end',
    expected: [],
    inside: 'putOffOf',
    find: 'if (crashing !== undefined) return crashing;',
    replace: '',
    heldBy: {
      file: 'test/engine/pass/crash-put-off.test.ts',
      test: 'R-5.5 a crashing target keeps its timer and runs nothing when a %s event comes before it',
    },
  },
  {
    name: 'a wrong result ends the pass without a commit',
    needs: { faults: ['nonsense'] },
    expected: ['I8'],
    inside: 'runAttempt',
    find: 'if (error instanceof InfrastructureError) throw error;\n    return await fail(options, error);',
    replace:
      "if (error instanceof InfrastructureError || error.name === 'InvalidResultError') throw error;\n    return await fail(options, error);",
  },
  {
    name: 'every value of done that finalize returns counts as true',
    needs: { faults: ['nonsense'] },
    expected: ['I6', 'I8'],
    inside: 'parseFinalizeResult',
    find: 'if (done === true) return { done };',
    replace: 'if (done !== false) return { done: true };',
  },
];
