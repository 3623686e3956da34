export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; absent on the last page. */
  readonly next?: string;
}
