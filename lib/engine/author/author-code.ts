import type { Controller, FinalizeResult, ReconcileResult } from '../../core/controller.ts';
import { EvenkeelError } from '../../core/errors.ts';
import type { JsonObject, KubeObject } from '../../core/kube-object.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { kindId } from '../../core/resource-type.ts';
import type { Target } from '../../core/target.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { StrayErrors } from '../../ports/stray-errors.ts';
import { factsOf } from '../outcome-facts.ts';
import { isAuthors } from './author-error.ts';
import { caughtError } from './caught-error.ts';
import { parseFinalizeResult, parseReconcileResult } from './parse-result.ts';
import { parseStatus } from './parse-status.ts';

const UNHANDLED = 'UNHANDLED_REJECTION';

export interface AuthorCodeOptions {
  readonly controller: Controller;
  /** Default: the process handles an uncaught error of the code. */
  readonly strays: StrayErrors | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called with each error of the code, unchanged. @param what e.g. `reconcile threw`. */
  readonly onError?: ((what: string, error: unknown) => void) | undefined;
}

/** Calls the functions of a controller, and checks everything that they return, throw or leave behind. */
export class AuthorCode {
  readonly #options: AuthorCodeOptions;

  constructor(options: AuthorCodeOptions) {
    this.#options = options;
  }

  /** @throws InvalidResultError, EvenkeelError UNHANDLED_REJECTION, and whatever the controller throws. */
  async reconcile(object: KubeObject, context: ReconcileContext): Promise<ReconcileResult> {
    const { controller } = this.#options;
    return await this.#told('reconcile', context, async () => {
      const returned: unknown = await this.#run('reconcile', async () => await controller.reconcile(object, context));
      return parseReconcileResult(returned, context.nowMs);
    });
  }

  /** @throws as reconcile. */
  async finalize(object: KubeObject, context: ReconcileContext): Promise<FinalizeResult> {
    const { controller } = this.#options;
    return await this.#told('finalize', context, async () => {
      const returned: unknown = await this.#run('finalize', async () => await controller.finalize?.(object, context));
      return parseFinalizeResult(returned, context.nowMs);
    });
  }

  /** Never throws and never waits: the hook changes only this process. */
  forgotten(target: Target): void {
    const { controller } = this.#options;
    if (controller.forgotten === undefined) return;
    const call = async (): Promise<unknown> => await controller.forgotten?.({ ...target });
    this.#run('forgotten', call).catch((thrown: unknown) => {
      const error = caughtError(thrown);
      if (!isUnhandled(error)) this.#report('forgotten failed', error);
    });
  }

  /** @returns undefined if the controller returns nothing, or something wrong; the latter is reported. */
  released(object: KubeObject): JsonObject | undefined {
    const { controller } = this.#options;
    if (controller.released === undefined) return undefined;
    try {
      return parseStatus(controller.released(object), 'released');
    } catch (error) {
      this.#report('released failed', error);
      return undefined;
    }
  }

  /** After the pass's time limit, an error is a result of the abort. */
  async #told<Result extends ReconcileResult | FinalizeResult>(
    what: string,
    { signal }: ReconcileContext,
    call: () => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await call();
      const failure = 'outcome' in result ? factsOf(result.outcome).failure : undefined;
      if (failure !== undefined) this.#tell(`${what} asked for a retry`, failure.error);
      return result;
    } catch (error) {
      if (!signal.aborted && !isUnhandled(caughtError(error))) this.#tell(`${what} threw`, error);
      throw error;
    }
  }

  #tell(what: string, error: unknown): void {
    if (isAuthors(error)) this.#options.onError?.(what, error);
  }

  async #run<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    const { strays } = this.#options;
    if (strays === undefined) return await call();
    let stray: { readonly error: unknown } | undefined;
    const result = await strays.run(call, (error) => {
      stray ??= { error };
      this.#report(`${what} left an error that nobody caught`, error);
    });
    if (stray === undefined) return result;
    throw new EvenkeelError(
      UNHANDLED,
      `${what} left a promise that was rejected, or a callback that threw, and nothing caught it: await each promise`,
      { cause: caughtError(stray.error) },
    );
  }

  #report(message: string, error: unknown): void {
    const { controller, logger, metrics } = this.#options;
    const kind = kindId(controller.type);
    metrics.record('UnhandledError', 1, { Group: controller.group, Kind: kind });
    logger.error(message, caughtError(error), { group: controller.group, controller: controller.name });
    this.#tell(message, error);
  }
}

/** The error of a rejection that was already reported. */
function isUnhandled(error: unknown): boolean {
  return error instanceof EvenkeelError && error.code === UNHANDLED;
}
