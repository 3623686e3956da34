import { installedRegistry } from '../lib/deployment/installation/installed-registry.ts';
import type { CfnValue } from './cloudformation.ts';
import type { Stage } from './stage.ts';

/** What a request must have for a permission: operators of IAM, then condition keys. */
export type Condition = Readonly<Record<string, Readonly<Record<string, CfnValue>>>>;

const LEADING_KEYS = 'dynamodb:LeadingKeys';

/**
 * Limits a group's function to the items that the group uses, by their partition keys (lib/adapters/state-keys.ts): its
 * targets, polls and rounds, the records of clusters, and the failures of messages. Only the relay uses checkpoints.
 * Edges of every kind are permitted, because a new version deletes edges of kinds that only the previous version read.
 */
export function itemsOfGroup({ settings, installed }: Stage, group: string): Condition {
  const groups = installed.map(({ manifest }) => manifest);
  const kinds = installedRegistry(settings, { groups }).kindsOf(group);
  const targets = kinds.map((kind) => `T#*#${kind}#*`);
  return {
    'ForAllValues:StringLike': {
      [LEADING_KEYS]: [...targets, `P#*#${group}#*`, `F#*#${group}#*`, 'D#*', 'R#*', 'M#*'],
    },
    'ForAllValues:StringNotLike': { [LEADING_KEYS]: ['R#*#*'] },
    // ForAllValues alone is also true for a request without a key.
    Null: { [LEADING_KEYS]: 'false' },
  };
}
