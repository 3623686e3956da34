/** Work that the server does after a write, of its own accord. */
export interface BackgroundController {
  /** Whether there is something to do. */
  readonly busy: boolean;
  /** Does what there is to do now. */
  run(): void;
}

/**
 * Runs the controllers after the request that gave them work, never inside it: a client sees a dependent vanish some
 * time after its owner, as with a real cluster. What `defer` does with a task decides when; it runs to the end at once,
 * so the order of events is the same in each run.
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

  /** Has the controllers run soon if any of them is busy. To be called after writes. */
  poke(): void {
    if (this.#scheduled || !this.#controllers.some((controller) => controller.busy)) return;
    this.#scheduled = true;
    this.#defer(() => this.#run());
  }

  /** Resolves once no controller has anything to do. */
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
