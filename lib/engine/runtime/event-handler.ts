import type { QueueMessage } from '../../core/event.ts';
import { FanoutRunner } from '../fanout/fanout-runner.ts';
import type { PassDependencies } from '../pass/pass.ts';
import { PassRunner } from '../pass/pass-runner.ts';
import { PollRunner } from '../poll/poll-runner.ts';
import type { Engine } from './engine.ts';

/** Handles the events of one controller group in one cluster. */
export interface EventHandler {
  readonly passes: PassRunner;
  readonly polls: PollRunner;
  readonly rounds: FanoutRunner;
  /** Resolves when the message may be acknowledged. @throws InfrastructureError when it must be delivered again. */
  handle(message: QueueMessage): Promise<unknown>;
}

/** The part of an engine that the handling of events needs. */
export type HandlerEngine = Omit<Engine, 'wakes'> & Pick<PassDependencies, 'wakes'>;

/** @throws EvenkeelError INVALID_SELECTOR */
export function createEventHandler(engine: HandlerEngine, group: string): EventHandler {
  const { options } = engine;
  const { pass, directReaders, rounds: roundOptions, roundLimitMs = pass.timings.passLimitMs } = options;
  const gate = engine.gates.get(group) ?? engine.gate;
  const passes = new PassRunner({ ...engine, gate }, pass);
  const polls = new PollRunner({ ...engine, gate, ...(directReaders !== undefined && { directReaders }) });
  const rounds = new FanoutRunner({
    ...engine,
    passLimitMs: roundLimitMs,
    options: roundOptions ?? {},
  });
  return {
    passes,
    polls,
    rounds,
    handle: (message) => {
      switch (message.cause) {
        case 'poll':
          return polls.handle(message);
        case 'fanout':
          return rounds.handle(message);
        default:
          return passes.handle(message);
      }
    },
  };
}
