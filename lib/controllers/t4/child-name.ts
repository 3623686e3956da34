import { sha256Hex } from '../../core/hash.ts';

const MAX_LENGTH = 63;
const HASH_LENGTH = 12;

/** The parts of a child's name: never the mutable name alone. */
export interface Named {
  readonly name: string;
  readonly uid: string;
}

export function claimName(workspace: Named): string {
  return childName('t4-ws-', workspace);
}

/** Of a session's Pod and of its Service. */
export function sessionChildName(session: Named): string {
  return childName('t4-session-', session);
}

/**
 * A DNS label computed from the owner's name and UID: the prefix, as much of the name as fits into a label, and 12 hex digits
 * of SHA-256(`name:uid`). Two owners whose cut names agree differ in the digits.
 */
export function childName(prefix: string, { name, uid }: Named): string {
  const digits = sha256Hex(`${name}:${uid}`).slice(0, HASH_LENGTH);
  const room = MAX_LENGTH - prefix.length - 1 - HASH_LENGTH;
  const readable = trimDashes(name.toLowerCase().replace(/[^a-z0-9]+/g, '-')) || 'resource';
  return `${prefix}${trimDashes(readable.slice(0, room))}-${digits}`;
}

/** The owner's name as the value of a label, which may have 63 characters. A longer name is replaced by the child's name. */
export function ownerLabel(ownerName: string, nameOfChild: string): string {
  return ownerName.length <= MAX_LENGTH ? ownerName : nameOfChild;
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '');
}
