const SHOWN_PLACES = 3;

/** What a written module does in another way than the definition that it was written from, each with its places. */
export class Notes {
  readonly #places = new Map<string, string[]>();

  /** @param place as a person writes it, e.g. `spec.hosts[]`. */
  add(place: string, text: string): void {
    const places = this.#places.get(text) ?? [];
    if (!places.includes(place)) places.push(place);
    this.#places.set(text, places);
  }

  /** One line for each text, with its first places. */
  lines(): string[] {
    return [...this.#places].map(([text, places]) => {
      const more = places.length > SHOWN_PLACES ? ` and ${places.length - SHOWN_PLACES} more` : '';
      return `${places.slice(0, SHOWN_PLACES).join(', ')}${more}: ${text}.`;
    });
  }
}
