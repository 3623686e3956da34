/** The orders of `evenkeel list`. */
export const LIST_SORTS = ['name', 'last-pass', 'next', 'failures'] as const;
