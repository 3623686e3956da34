import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ConditionOwners } from '../../core/condition-owners.ts';
import { ItemError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import { STATE_FORMAT } from '../../core/installation.ts';
import { hashInKey, type ObjectKey } from '../../core/observation.ts';
import type { DurableValues } from '../../core/reconcile-context.ts';
import { type TargetKey, targetId } from '../../core/target.ts';
import type { FoundTarget, LastOutcome, TargetState } from '../../ports/state-store.ts';
import { splitObjectName } from '../state-keys.ts';
import {
  AttributeError,
  type Item,
  readAnyJson,
  readBoolean,
  readJson,
  readNumber,
  readText,
  readTexts,
} from './attribute-values.ts';
import { readDeadline } from './deadline-attributes.ts';
import { EXPIRES_AT, tableKey } from './dynamodb-table.ts';

/*
 * A target's attributes:
 *
 *   format              STATE_FORMAT of the release that wrote it
 *   objectName          namespace/name of the target
 *   leaseOwner, leaseAttempt, leaseUntil        while a pass runs
 *   epoch, committedEpoch
 *   dirty               set of marks; absent when empty
 *   incarnation, observedVersion, observedGeneration, reconcilerVersion
 *   failures            consecutive ones
 *   tokens, tokensAt    the rate limit's bucket
 *   durableValues       JSON
 *   dueAt, dueShard     both or neither
 *   dueSetAt, dueLength when the timer was set and how far ahead, in ms. They count only while their sum is dueAt: a release
 *                       that does not know them sets dueAt alone
 *   wakeSent            absent: no
 *   versions            map of an object's key to its version
 *   longKeys            map of a hash in `versions` to the long key that it stands for
 *   edgeKeys            set; absent when empty
 *   rememberedWrites    set; absent when empty (1)
 *   lastOutcome         JSON
 *   pastPasses          the last passes, packed as in core/pass-history.ts (1)
 *   conditionOwners     JSON; absent when there are none (1). A type counts only with the owner that is stored for it
 *   expiresAt           only in the item of a forgotten target, which has only the format and the epochs in addition: the
 *                       time after which the table may remove the item, in seconds. An older release may set objectName
 *                       again and leave expiresAt. Such a target is not forgotten, and its next pass removes expiresAt
 *
 * (1) An older release that does not know the attribute leaves it unchanged.
 */

/** All attributes that are removed when the target is forgotten: everything except the format and the epochs. */
export const PASSING_ATTRIBUTES = [
  'objectName',
  'leaseOwner',
  'leaseAttempt',
  'leaseUntil',
  'dirty',
  'incarnation',
  'observedVersion',
  'observedGeneration',
  'reconcilerVersion',
  'failures',
  'tokens',
  'tokensAt',
  'durableValues',
  'dueAt',
  'dueShard',
  'dueSetAt',
  'dueLength',
  'wakeSent',
  'versions',
  'longKeys',
  'edgeKeys',
  'rememberedWrites',
  'lastOutcome',
  'pastPasses',
  'conditionOwners',
] as const;

export function isForgotten(item: Item): boolean {
  return item[EXPIRES_AT] !== undefined && item.objectName === undefined;
}

/**
 * Longer object keys are stored under their hash, because DynamoDB limits the length of a name in an expression. Such a
 * key is rare: it needs a namespace and a name of nearly full length.
 */
const MAX_NAME_BYTES = 255;
const HASHED = 'sha256:';

/**
 * The name of an object in the map of versions. An object of which only a hash is known is found there only if its key
 * is long. Otherwise the event is not covered, which costs one pass.
 */
export function versionName(object: ObjectKey): string {
  const hash = hashInKey(object);
  if (hash !== undefined) return HASHED + Buffer.from(hash, 'base64url').toString('hex');
  return object.length <= MAX_NAME_BYTES ? object : HASHED + sha256Hex(object);
}

export interface VersionAttributes {
  readonly versions: AttributeValue;
  /** Absent when no key is long. */
  readonly longKeys?: AttributeValue;
}

export function writeVersions(versions: Readonly<Record<ObjectKey, number>>): VersionAttributes {
  const map: Record<string, AttributeValue> = {};
  let longKeys: Record<string, AttributeValue> | undefined;
  for (const object in versions) {
    const name = versionName(object);
    map[name] = { N: String(versions[object]) };
    if (name === object) continue;
    longKeys ??= {};
    longKeys[name] = { S: object };
  }
  return longKeys === undefined ? { versions: { M: map } } : { versions: { M: map }, longKeys: { M: longKeys } };
}

function readVersions(item: Item): Record<ObjectKey, number> {
  const map = item.versions?.M;
  const longKeys = item.longKeys?.M;
  if (map === undefined && item.versions !== undefined) throw new AttributeError('versions');
  const versions: Record<ObjectKey, number> = {};
  for (const name in map) {
    const object = name.startsWith(HASHED) ? longKeys?.[name]?.S : name;
    const version = Number(map[name]?.N);
    if (Number.isNaN(version)) throw new AttributeError('versions');
    if (object !== undefined) versions[object] = version;
  }
  return versions;
}

/** @throws ItemError, with the target, when a newer release wrote the item or somebody else changed it. */
export function readTargetItem(item: Item): TargetState {
  const key = targetKeyOf(item);
  try {
    return readAttributes(item, key);
  } catch (error) {
    if (!(error instanceof AttributeError)) throw error;
    throw new ItemError(
      `the item of target ${targetId(key)} cannot be read: ${error.message}. Correct it, or delete the item and request a pass`,
    );
  }
}

/** As readTargetItem; it also returns the rest of a forgotten target. */
export function readFoundTarget(item: Item | undefined): FoundTarget {
  if (item === undefined) return { type: 'unknown' };
  const state = readTargetItem(item);
  return isForgotten(item) ? { type: 'forgotten', epoch: state.epoch } : { type: 'known', state };
}

/**
 * As readTargetItem. For an item that cannot be read, the result has only the reason, the target's key and its name.
 */
export function readListedItem(item: Item): TargetState {
  try {
    return readTargetItem(item);
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    const target = { ...targetKeyOf(item), ...splitObjectName(item.objectName?.S ?? '/') };
    return { ...NOTHING_KNOWN, target, unreadable: error.message };
  }
}

const NOTHING_KNOWN = {
  epoch: 0,
  committedEpoch: 0,
  dirty: [],
  failures: 0,
  values: {},
  wakeSent: false,
  versions: {},
  edges: [],
} as const;

function readAttributes(item: Item, key: TargetKey): TargetState {
  checkFormat(item, key);
  const incarnation = readNumber(item, 'incarnation');
  const observedVersion = readNumber(item, 'observedVersion');
  const observedGeneration = readNumber(item, 'observedGeneration');
  const tokens = readNumber(item, 'tokens');
  const reconcilerVersion = readText(item, 'reconcilerVersion');
  const lastOutcome = readLastOutcome(item);
  const conditionOwners = readJson<ConditionOwners>(item, 'conditionOwners');
  const owner = readText(item, 'leaseOwner');
  const rememberedWrites = readTexts(item, 'rememberedWrites');
  return {
    target: { ...key, ...splitObjectName(readText(item, 'objectName') ?? '/') },
    ...(owner !== undefined && {
      lease: { owner, attempt: readText(item, 'leaseAttempt') ?? '', untilMs: readNumber(item, 'leaseUntil') ?? 0 },
    }),
    epoch: readNumber(item, 'epoch') ?? 0,
    committedEpoch: readNumber(item, 'committedEpoch') ?? 0,
    dirty: readTexts(item, 'dirty'),
    ...(incarnation !== undefined && { incarnation }),
    ...(observedVersion !== undefined && { observedVersion }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    failures: readNumber(item, 'failures') ?? 0,
    ...(tokens !== undefined && { bucket: { tokens, atMs: readNumber(item, 'tokensAt') ?? 0 } }),
    // A controller may have stored any JSON. Its item stays readable, and the controller gets back the value that it
    // stored.
    values: (readAnyJson(item, 'durableValues') as DurableValues | null | undefined) ?? {},
    ...readDeadline(item),
    wakeSent: readBoolean(item, 'wakeSent') ?? false,
    versions: readVersions(item),
    edges: readTexts(item, 'edgeKeys'),
    ...(rememberedWrites.length > 0 && { rememberedWrites }),
    ...(reconcilerVersion !== undefined && { reconcilerVersion }),
    ...(lastOutcome !== undefined && { lastOutcome }),
    // The history is only shown, so a value of another type is ignored.
    ...(item.pastPasses?.S !== undefined && { pastPasses: item.pastPasses.S }),
    ...(conditionOwners !== undefined && { conditionOwners }),
  };
}

/** Release 0.1 stored a controller's reason and message unchecked. A value that is not text reads as an empty text. */
function readLastOutcome(item: Item): LastOutcome | undefined {
  const outcome = readJson<LastOutcome>(item, 'lastOutcome');
  if (outcome === undefined) return undefined;
  const { type, reason, message, cause, atMs, durationMs } = outcome;
  const isRead = typeof type === 'string' && typeof cause === 'string';
  if (!isRead || !Number.isFinite(atMs) || !Number.isFinite(durationMs)) throw new AttributeError('lastOutcome');
  return { ...outcome, reason: textOrEmpty(reason), message: textOrEmpty(message) };
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function targetKeyOf(item: Item): TargetKey {
  const { pk, sk } = tableKey(item);
  const [, cluster = '', kind = ''] = pk.split('#');
  return { cluster, kind, uid: sk };
}

function checkFormat(item: Item, key: TargetKey): void {
  const format = readNumber(item, 'format') ?? STATE_FORMAT;
  if (format <= STATE_FORMAT) return;
  throw new ItemError(
    `the item of target ${targetId(key)} has format ${format}, and this release reads ${STATE_FORMAT} at most: deploy the newer release again`,
    { data: { format } },
  );
}
