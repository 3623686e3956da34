import type { RelayDependencies } from './relay-options.ts';

/** How long after the first the others are waited for. */
const COLLECT_MS = 1_000;

/** Tells of kinds that the cluster does not serve: those that are found missing together in one line. */
export class MissingKinds {
  readonly #deps: Pick<RelayDependencies, 'clock' | 'logger'>;
  readonly #stop: AbortSignal;
  readonly #found = new Set<string>();

  constructor(deps: Pick<RelayDependencies, 'clock' | 'logger'>, stop: AbortSignal) {
    this.#deps = deps;
    this.#stop = stop;
  }

  add(kind: string): void {
    this.#found.add(kind);
    if (this.#found.size === 1) void this.#tell();
  }

  async #tell(): Promise<void> {
    const { clock, logger } = this.#deps;
    await clock.sleep(COLLECT_MS, this.#stop).catch(() => {});
    const kinds = [...this.#found].sort().join(', ');
    this.#found.clear();
    if (this.#stop.aborted) return;
    const what = 'the cluster does not serve kinds that must be watched';
    logger.warn(`${what}: install their CRDs if you need them; they are tried every half minute`, {
      kinds,
    });
  }
}
