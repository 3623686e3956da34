import { EvenkeelError } from '../lib/core/errors.ts';

/** The command line was not understood; exit code 2. */
export class UsageError extends EvenkeelError {
  constructor(message: string) {
    super('USAGE', message);
  }
}
