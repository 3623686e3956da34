import type { GroupSecret } from './group.ts';

/**
 * The key with which the deployment compares content, so that it stores no content. All groups that compare content share it.
 */
export const DIGEST_KEY = {
  name: 'digest-key',
  what: 'the key that content is compared by',
  why: 'Compares the content of Secrets without storing it',
  madeBy: 'deployment',
  statement: 'ReadDigestKey',
} as const satisfies Omit<GroupSecret, 'isNeeded'>;
