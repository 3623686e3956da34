/** The cost of making a list in the real server, without its items (cel-go, common/cost.go). */
export const NEW_LIST = 10;

/** The macros that loop over a list or map, each with the number of its arguments. */
export const LOOPS: ReadonlySet<string> = new Set(['all/2', 'exists/2', 'exists_one/2', 'map/2', 'map/3', 'filter/2']);
export const LOOPS_THAT_MAKE_LISTS: ReadonlySet<string> = new Set(['map/2', 'map/3', 'filter/2']);

/** The cost of a loop as a whole, and its cost for each item with the cost of its expressions. */
export function loopCosts(
  signature: string,
  first: number,
  second: number,
): { readonly once: number; readonly each: number } {
  switch (signature) {
    case 'all/2':
      return { once: 1, each: 3 + first };
    case 'exists/2':
      return { once: 1, each: 4 + first };
    case 'exists_one/2':
      return { once: 2, each: 2 + first };
    case 'filter/2':
      return { once: NEW_LIST + 1, each: 13 + first };
    case 'map/3':
      return { once: NEW_LIST + 1, each: 12 + first + second };
    default:
      return { once: NEW_LIST + 1, each: 12 + first };
  }
}
