import type { Refusal } from '../../ports/cluster-api.ts';
import { refusalOf } from './refusal-of.ts';

/** The fields of a `metav1.Status` that decide what an error is. Its message is not kept: it may quote content. */
export interface StatusBody {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;
  readonly refusal: Refusal | undefined;
}

export interface StatusDetails {
  readonly name: string;
  readonly group: string;
  /** The plural, for errors about an object. */
  readonly kind: string;
  readonly retryAfterSeconds: number;
}

/** Reads a Status; undefined for any other body. A missing field is '' or 0. */
export function readStatus(body: unknown): StatusBody | undefined {
  if (!isRecord(body) || body.kind !== 'Status') return undefined;
  const details = isRecord(body.details) ? body.details : {};
  return {
    code: number(body.code),
    reason: text(body.reason),
    refusal: refusalOf(number(body.code), text(body.message), details.causes),
    details: {
      name: text(details.name),
      group: text(details.group),
      kind: text(details.kind),
      retryAfterSeconds: number(details.retryAfterSeconds),
    },
  };
}

/** Parses JSON; undefined for an invalid text. The parser's own error is dropped, because it quotes the text. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
