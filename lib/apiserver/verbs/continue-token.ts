import { badRequest } from '../api-error.ts';

/** Where a list continues. The revision -1 means "now": the rest may be inconsistent with the earlier pages. */
export interface ContinueToken {
  readonly revision: number;
  /** The first key that is not listed yet, relative to the listed namespace. */
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

/** @throws ApiError 400 for a text that is not a token of this server. */
export function decodeContinue(text: string): ContinueToken {
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw badRequest('invalid continue token: continue key is not valid');
  }
  if (typeof token !== 'object' || token === null)
    throw badRequest('invalid continue token: continue key is not valid');
  const { v, rv, start } = token as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== 'meta.k8s.io/v1') {
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version',
    );
  }
  if (typeof rv !== 'number' || rv === 0) {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  if (typeof start !== 'string' || start === '') {
    throw badRequest(
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
    );
  }
  return { revision: rv, start };
}
