import { EvenkeelError } from '../../core/errors.ts';

/** A call of an external system failed; the pass is retried. The text of the system is only in the cause. */
export class ExternalError extends EvenkeelError {
  constructor(message: string, cause?: unknown) {
    super('EXTERNAL', message, cause === undefined ? {} : { cause });
  }
}
