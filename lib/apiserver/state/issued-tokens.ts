/** The tokens of service accounts that the server has issued, until they expire. */
export class IssuedTokens {
  readonly #expiresAtMs = new Map<string, number>();

  /** @param expiresAtMs milliseconds since the epoch. */
  add(token: string, expiresAtMs: number, nowMs: number): void {
    for (const [known, endMs] of this.#expiresAtMs) if (endMs <= nowMs) this.#expiresAtMs.delete(known);
    this.#expiresAtMs.set(token, expiresAtMs);
  }

  accepts(token: string, nowMs: number): boolean {
    return nowMs < (this.#expiresAtMs.get(token) ?? 0);
  }
}
