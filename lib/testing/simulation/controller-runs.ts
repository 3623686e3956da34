import type { Controller, FinalizeResult, ReconcileResult } from '../../core/controller.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import type { ReconcileContext } from '../../core/reconcile-context.ts';
import { kindId } from '../../core/resource-type.ts';
import type { ControllerHost } from './controller-host.ts';
import { describeEnd, describeError, wholeErrorBelow } from './describe-end.ts';
import type { SimulatedProcess } from './process.ts';
import type { Label } from './trace.ts';

/** One call of a controller's function. */
export interface ControllerRun {
  readonly kind: string;
  /** The object as the function received it. */
  readonly object: KubeObject;
  /** A description: the function and its object. */
  readonly what: string;
}

export interface ControllerRunsOptions {
  readonly process: SimulatedProcess;
  readonly tell: (what: Label) => void;
  /** Called once for a run that awaits something that the simulation does not control. */
  readonly onOutside: (run: ControllerRun) => void;
  /** Called at the end of a run. @param failure what the run threw, or its reason to retry. */
  readonly onEnd: (run: ControllerRun, failure: string | undefined) => void;
}

/**
 * The running controller functions of one process. They await only calls of their context or of their host. A run that
 * waits while no such call is running waits for something that the simulation does not control.
 */
export class ControllerRuns {
  readonly host: ControllerHost;
  readonly #options: ControllerRunsOptions;
  readonly #open = new Set<ControllerRun>();
  readonly #told = new WeakSet<ControllerRun>();
  /** Calls without an answer yet. */
  #underWay = 0;
  /** Calls that wait for no turn of the scheduler, because the port itself is working. */
  #atWork = 0;

  constructor(options: ControllerRunsOptions) {
    this.#options = options;
    const { process } = options;
    const begin = () => this.#begin();
    this.host = {
      reach: (port, name) => {
        const inner = counted(port, () => {
          this.#atWork += 1;
          return () => {
            this.#atWork -= 1;
          };
        });
        return counted(process.reach(inner, name), begin);
      },
      clock: counted(process.clock, begin),
      crash: () => process.crash(),
    };
  }

  get alive(): boolean {
    return this.#options.process.alive;
  }

  /** Wraps the controllers to record their runs. */
  watched(controllers: readonly Controller[]): Controller[] {
    return controllers.map((controller) => {
      const { finalize } = controller;
      const watched: Partial<Controller> = {
        reconcile: (object, context) =>
          this.#run('reconcile', controller, object, context, (seen) => controller.reconcile(object, seen)),
        ...(finalize !== undefined && {
          finalize: (object: KubeObject, context: ReconcileContext) =>
            this.#run('finalize', controller, object, context, (seen) => finalize.call(controller, object, seen)),
        }),
      };
      return new Proxy(controller, {
        get: (target, property) =>
          property in watched ? Reflect.get(watched, property) : Reflect.get(target, property, target),
      });
    });
  }

  /** Call this when everything that could continue has continued. */
  look(): void {
    if (this.#open.size === 0 || this.#underWay > this.#atWork) return;
    for (const run of this.#open) {
      if (this.#told.has(run)) continue;
      this.#told.add(run);
      this.#options.tell(`${run.what} waits for something outside of the simulation`);
      this.#options.onOutside(run);
    }
  }

  async #run<Result extends ReconcileResult | FinalizeResult>(
    method: string,
    { type }: Controller,
    object: KubeObject,
    context: ReconcileContext,
    go: (context: ReconcileContext) => Promise<Result>,
  ): Promise<Result> {
    const { tell, onEnd } = this.#options;
    const kind = kindId(type);
    const { metadata } = object;
    const what = `${method} of ${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    const run: ControllerRun = { kind, object, what };
    this.#open.add(run);
    try {
      const result = await go(counted(context, () => this.#begin()));
      const { text, failure, error } = describeEnd(result);
      tell(() => `${what} ${text}${error === undefined ? '' : wholeErrorBelow(error)}`);
      onEnd(run, failure);
      return result;
    } catch (error) {
      tell(() => `${what} throws ${describeError(error)}${wholeErrorBelow(error)}`);
      onEnd(run, describeError(error));
      throw error;
    } finally {
      this.#open.delete(run);
    }
  }

  #begin(): () => void {
    this.#underWay += 1;
    return () => {
      this.#underWay -= 1;
    };
  }
}

/** Wraps a port so that each call with a promise is counted from its start to its end. */
function counted<Port extends object>(port: Port, begin: () => () => void): Port {
  return new Proxy(port, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const answer: unknown = value.apply(target, args);
        if (answer instanceof Promise) {
          const end = begin();
          answer.then(end, end);
        }
        return answer;
      };
    },
  });
}
