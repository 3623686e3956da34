import type { PlantedFault } from '../planted-fault.ts';

const needs = { fewAreMany: true } as const;

/**
 * Faults of rounds, which send a change that many objects read. Only seeds in which two readers make a change wide show
 * them.
 */
export const LOSING_ROUNDS: readonly PlantedFault[] = [
  {
    name: 'a marker keeps the first change that it had',
    needs,
    expected: ['I2', 'I12'],
    inside: 'MemoryFanoutStore.recordChange',
    find: 'if (refused) return undefined;',
    replace: 'if (refused) return undefined;\n    if (before !== undefined) return before;',
  },
  {
    name: 'a round that takes long is acknowledged without a continuation',
    needs,
    expected: ['I2', 'I12'],
    inside: 'FanoutRunner.#goOn',
    find: 'await sender.sendAll(lane, [fanoutRequest(',
    replace: "if (step.place === '') await sender.sendAll(lane, [fanoutRequest(",
  },
  {
    name: 'a round that pauses is acknowledged without its rest',
    needs,
    expected: ['I2', 'I12'],
    inside: 'FanoutRunner.#goOnLater',
    find: 'await sendWake(wakes, message, deadline, nowMs);',
    replace: 'void deadline;',
  },
  {
    name: 'a round sends the version that was read before the round started',
    scenario: 'a change comes between the reading of a marker and its round',
    expected: ['I2', 'I12'],
    inside: 'FanoutRunner.#begin',
    find: 'const { incarnation, seen, round } = begun;',
    replace: 'const { incarnation, seen } = marker;\n    const { round } = begun;',
  },
  {
    name: 'a round that is put off comes back under the id that it had',
    needs,
    expected: ['I2', 'I12'],
    inside: 'stepId',
    find: `\`again:\${random()}\``,
    replace: `\`again:\${step.type}\``,
  },
  {
    name: 'the delayed message of a round ends at its own record',
    needs,
    expected: ['I2', 'I12'],
    inside: 'comesWithAnother',
    find: `delayed.round !== round || delayed.dueAtMs === dueAt) return false;`,
    replace: `delayed.round !== round || dueAt === 0) return false;
  if (nowMs > 0) return true;`,
  },
  {
    name: 'the checkpoint passes a change before its round is sent',
    scenario: 'a relay dies soon after a change that many read',
    expected: ['I2', 'I12'],
    inside: 'BatchDelivery.deliver',
    find: 'await this.#send([...events, ...rounds], batch);',
    replace: `await this.#send(events, batch);
    const late = { ...batch, open: 1_000 };
    deps.clock.sleep(60_000, this.#connection.signal).then(() => this.#send(rounds, late)).catch(() => {});`,
  },
];
