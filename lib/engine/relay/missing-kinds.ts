import type { RelayDependencies } from './relay-options.ts';

/** How long to wait for more kinds after the first one. */
const COLLECT_MS = 1_000;

/** Logs kinds that the cluster does not serve; kinds that are found at about the same time share a line. */
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
