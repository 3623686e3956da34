import { isRecord, parseJson } from './status-body.ts';

/** The fields that a list has before its objects. */
export interface ListHead {
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
  /** Of the first object; a field that is not there is ''. */
  readonly first: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The API server writes the list's own metadata first, for lists of typed kinds and for PartialObjectMetadataList. */
const HEAD = /^\s*\{(?:\s*"(?:kind|apiVersion)":\s*"[^"]*",)*\s*"metadata":\s*(\{[^{}]*\})/;
const FIRST_METADATA = /^\s*,\s*"items":\s*\[\s*\{[^{}]*?"metadata":\s*\{([^{}]*)/;

/** Reads the head of a truncated list. Undefined when its objects come before its metadata. */
export function readListHead(text: string): ListHead | undefined {
  const match = HEAD.exec(text);
  const metadata = parseJson(match?.[1] ?? '');
  if (match === null || !isRecord(metadata)) return undefined;
  const { resourceVersion, continue: continueToken = '' } = metadata;
  if (typeof resourceVersion !== 'string' || resourceVersion === '' || typeof continueToken !== 'string') {
    return undefined;
  }
  const fields = FIRST_METADATA.exec(text.slice(match[0].length))?.[1] ?? '';
  return {
    resourceVersion,
    continueToken,
    first: { namespace: field(fields, 'namespace'), name: field(fields, 'name'), uid: field(fields, 'uid') },
  };
}

/** A valid name contains no character that JSON escapes. */
function field(fields: string, name: string): string {
  return new RegExp(`"${name}":\\s*"([^"\\\\]{1,253})"`).exec(fields)?.[1] ?? '';
}
