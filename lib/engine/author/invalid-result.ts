import { EvenkeelError } from '../../core/errors.ts';

/** An author's code returned a wrong result. The message shows its shape, and what to return instead. */
export class InvalidResultError extends EvenkeelError {
  constructor(message: string) {
    super('INVALID_RESULT', message);
  }
}
