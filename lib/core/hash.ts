import { createHash } from 'node:crypto';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** 43 characters, all of which are allowed in a path segment. */
export function sha256Base64Url(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** SQS limits message group ids and deduplication ids to 128 characters. A longer id is replaced by its SHA-256. */
const MAX_QUEUE_ID_LENGTH = 128;

/** The text itself when SQS accepts it (printable ASCII, at most 128 characters), otherwise its SHA-256 in hex. */
export function queueId(text: string): string {
  return text.length <= MAX_QUEUE_ID_LENGTH && /^[\x21-\x7e]*$/.test(text) ? text : sha256Hex(text);
}

/** FNV-1a over UTF-16 code units: cheap and stable, for spreading keys over partitions. Never change it: keys depend on it. */
export function shardOf(text: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % shards;
}
