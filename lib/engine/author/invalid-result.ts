import { EvenkeelError } from '../../core/errors.ts';

/** What an author's code returned is not what it may return. The message says its shape, and what to return instead. */
export class InvalidResultError extends EvenkeelError {
  constructor(message: string) {
    super('INVALID_RESULT', message);
  }
}
