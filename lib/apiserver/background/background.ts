/** Work that the server does by itself after a write. */
export interface BackgroundController {
  /** Whether there is something to do. */
  readonly busy: boolean;
  /** Does the work that there is now. */
  run(): void;
}

/**
 * Runs the controllers after the request that caused their work, never inside it. So, as in a real cluster, a client
 * sees a dependent disappear some time after its owner. `defer` decides when a task runs. A task runs to its end
 * without a break, so the order of events is the same in each run.
 */
export class Background {
  readonly #controllers: readonly BackgroundController[];
  readonly #defer: (task: () => void) => void;
  #scheduled = false;
  #waiting: (() => void)[] = [];

  constructor(controllers: readonly BackgroundController[], defer: (task: () => void) => void) {
    this.#controllers = controllers;
    this.#defer = defer;
  }

  /** Makes the controllers run soon if one of them has work. Call it after writes. */
  poke(): void {
    if (this.#scheduled || !this.#controllers.some((controller) => controller.busy)) return;
    this.#scheduled = true;
    this.#defer(() => this.#run());
  }

  /** Resolves when no controller has work. */
  idle(): Promise<void> {
    this.poke();
    if (!this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #run(): void {
    for (let busy = true; busy; ) {
      busy = false;
      for (const controller of this.#controllers) {
        if (!controller.busy) continue;
        busy = true;
        controller.run();
      }
    }
    this.#scheduled = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
