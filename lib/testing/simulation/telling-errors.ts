import { EvenkeelError } from '../../core/errors.ts';
import type { Workload } from './workload.ts';

/** An error that the code of a workload threw. It is not a violation of an invariant, and the run cannot continue. */
export class WorkloadError extends EvenkeelError {
  constructor(where: string, cause: unknown) {
    super('WORKLOAD_THREW', `${where} threw: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export interface TellingOptions {
  /** The run, and the workload's name if it has one: `seed 12, workload timers`. */
  readonly of: string;
  /** Called at once, because a pass that catches the error would take it for an error of one of its own calls. */
  readonly onError: (error: WorkloadError) => void;
}

/** The same workload, but its errors name the function of it that threw. */
export function tellingErrors(workload: Workload, { of, onError }: TellingOptions): Workload {
  const guard = (what: string, run: (...given: unknown[]) => unknown) => {
    const fail = (cause: unknown): never => {
      const error = cause instanceof WorkloadError ? cause : new WorkloadError(`${of}, ${what}`, cause);
      onError(error);
      throw error;
    };
    return (...given: unknown[]): unknown => {
      try {
        const result = run.apply(workload, given);
        return result instanceof Promise ? result.catch(fail) : result;
      } catch (cause) {
        return fail(cause);
      }
    };
  };
  const guarded = Object.entries(workload.actions).map(([name, action]) => [
    name,
    guard(`action '${name}'`, action as () => unknown),
  ]);
  const actions: unknown = Object.fromEntries(guarded);
  return new Proxy(workload, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (property === 'actions') return actions;
      return typeof value === 'function' ? guard(String(property), value as () => unknown) : value;
    },
  });
}
