import type { PlantedFault } from '../planted-fault.ts';
import type { Edit } from '../source/apply-edits.ts';

const COPIED = 'an owned object is copied into another namespace';
const FORGED_FIRST = 'the own event of an object comes while a pass looks for it under a forged name';

/**
 * The relay sends the name in an owner reference. Without this edit it sends the recorded address, which masks the
 * other faults.
 */
const RELAY_REPEATS: Edit = {
  inside: 'atRecordedAddress',
  find: 'if (state === undefined || isOwnEvent(event)) return event;',
  replace: 'if (state === undefined || isOwnEvent(event) || event.v === 1) return event;',
};

/** A pass reads its target at an address from an owner reference, and drops the state of a live object. */
export const LOOKING_ELSEWHERE: readonly PlantedFault[] = [
  {
    name: 'an event that repeats an owner reference writes its address',
    scenario: COPIED,
    expected: ['I2'],
    inside: 'MemoryTargetStore.acquire',
    find: 'before === undefined || request.ownAddress === true',
    replace: 'before === undefined || request.leaseUntilMs > 0',
    also: [RELAY_REPEATS],
    heldBy: {
      file: 'test/engine/pass/recorded-address.test.ts',
      test: 'a live target keeps its state when an owner reference names',
    },
  },
  {
    name: 'a pass reads at the address of its message',
    scenario: COPIED,
    expected: ['I2'],
    inside: 'PassRunner.#begin',
    find: 'target: state.target, crashes };',
    replace: 'target: { ...state.target, namespace: given.namespace, name: given.name }, crashes };',
    also: [RELAY_REPEATS],
    heldBy: {
      file: 'test/engine/pass/recorded-address.test.ts',
      test: 'a live target keeps its state when an owner reference names',
    },
  },
  {
    name: 'the mark of an own event does not record the address',
    scenario: FORGED_FIRST,
    expected: ['I2'],
    inside: 'leavePendingMark',
    find: 'store.markHeld(holder, mark, dueAtMs, foundAtMs, isOwnEvent(event) ? target : undefined)',
    replace: 'store.markHeld(holder, mark, dueAtMs, foundAtMs)',
    heldBy: {
      file: 'test/engine/pass/recorded-address.test.ts',
      test: 'a pass at a wrong address runs again at the right one when the own event',
    },
  },
  {
    name: 'a run-again reads at the address of the first run',
    scenario: FORGED_FIRST,
    expected: ['I2'],
    inside: 'startAgain',
    find: 'pass.target = renewed.target;',
    replace: '',
    heldBy: {
      file: 'test/engine/pass/recorded-address.test.ts',
      test: 'a pass at a wrong address runs again at the right one when the own event',
    },
  },
];
