import type { GroupSecret } from './group.ts';

/** The installation's key that content is compared by, so that no content is stored: one for all groups that compare. */
export const DIGEST_KEY = {
  name: 'digest-key',
  what: 'the key that content is compared by',
  why: 'Compares the content of Secrets without storing it',
  madeBy: 'deployment',
  statement: 'ReadDigestKey',
} as const satisfies Omit<GroupSecret, 'isNeeded'>;
