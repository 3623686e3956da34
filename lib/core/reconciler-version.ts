import { EvenkeelError } from './errors.ts';
import { sha256Hex } from './hash.ts';

const DIGEST_LENGTH = 12;

/**
 * The version of a controller whose decisions also depend on settings: changed settings start a pass of every target,
 * as changed code does (R-5.15). It is equal in all processes with equal settings. The order of fields and undefined
 * fields do not count.
 * @param code raise it when the new code must reconcile unchanged objects again.
 * @param settings plain JSON data: only settings on which decisions of passes depend and that every process of the
 * deployment has, because resync compares with the commits of the workers. Never a secret: the version is visible and
 * stored in the table.
 * @returns e.g. `1-5d41402abc4b`
 * @throws EvenkeelError INVALID_CONTROLLER for anything except plain data: different values would look equal.
 */
export function reconcilerVersion(code: string, settings: object): string {
  return `${code}-${sha256Hex(canonicalJson(settings, 'settings')).slice(0, DIGEST_LENGTH)}`;
}

function canonicalJson(value: unknown, path: string): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item, index) => canonicalJson(item, `${path}[${index}]`)).join()}]`;
  if (isPlainObject(value)) {
    const fields = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name], `${path}.${name}`)}`);
    return `{${fields.join()}}`;
  }
  throw new EvenkeelError(
    'INVALID_CONTROLLER',
    `${path} cannot be a part of a controller's version: it is no plain data. Leave it out, or give what identifies it.`,
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
