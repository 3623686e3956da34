import { EvenkeelError } from '../../core/errors.ts';
import { cutToCodePoints } from '../../core/text.ts';
import { safeField, safeText } from './safe-text.ts';

/** The parts of an error that a log shows. */
export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** The text, only when this package wrote it. */
  readonly message?: string;
  /** The causes, from near to far, as `Name` or `Name/CODE`. */
  readonly causes?: string;
  /** For errors of other packages: the place in the code. Their text is left out. */
  readonly at?: string;
  readonly data?: Readonly<Record<string, string | number | boolean>>;
}

const MAX_CAUSES = 5;
const MAX_FRAMES = 4;

/**
 * Describes an error without a text that a server, a parser or a client library may have put into it. A JSON parser
 * quotes its input, an HTTP client the refused header, and a Kubernetes client the whole response (R-1.24).
 */
export function describeError(error: unknown): ErrorDescription {
  try {
    return describe(error);
  } catch {
    // Code may throw anything: a Proxy, or an error whose name is not a text.
    return { name: 'UnreadableError' };
  }
}

function describe(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { name: error === null ? 'null' : typeof error };
  const own = error instanceof EvenkeelError;
  const code = codeOf(error);
  const causes = causesOf(error);
  const frames = own ? '' : framesOf(error);
  const data = own ? dataOf(error) : {};
  return {
    name: nameOf(error),
    ...(code === undefined ? {} : { code }),
    ...(own ? { message: safeText(error.message) } : {}),
    ...(causes === '' ? {} : { causes }),
    ...(frames === '' ? {} : { at: frames }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}

/** One line: `ApiError API_FORBIDDEN: message (cause: Error/ECONNRESET)`. */
export function errorLine(error: unknown): string {
  const { name, code, message, causes, at } = describeError(error);
  const head = [name, code].filter((part) => part !== undefined).join(' ');
  const detail = message ?? (at === undefined ? '' : `at ${at}`);
  return `${head}${detail === '' ? '' : `: ${detail}`}${causes === undefined ? '' : ` (cause: ${causes})`}`;
}

function nameOf(error: Error): string {
  return cutToCodePoints(safeText(error.name), 64);
}

/** A code is a constant such as ECONNREFUSED. Text in another form is left out. */
function codeOf(error: Error): string | undefined {
  const code = (error as { code?: unknown }).code;
  return (typeof code === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(code)) || typeof code === 'number'
    ? String(code)
    : undefined;
}

function causesOf(error: Error): string {
  const names: string[] = [];
  const seen = new Set<unknown>([error]);
  let cause = nextCause(error);
  while (cause instanceof Error && !seen.has(cause) && names.length < MAX_CAUSES) {
    seen.add(cause);
    const code = codeOf(cause);
    names.push(code === undefined ? nameOf(cause) : `${nameOf(cause)}/${code}`);
    cause = nextCause(cause);
  }
  return names.join(' < ');
}

function nextCause(error: Error): unknown {
  return error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
}

/**
 * Function and file of the innermost calls. These lines come from the code. The message above them may come from a
 * server.
 */
function framesOf(error: Error): string {
  const frames = [
    ...(error.stack ?? '').matchAll(/^ {4}at (?:(?<call>[^\n(]{1,120}) \()?(?<place>[^\n()]{1,300})\)?$/gm),
  ];
  return frames
    .slice(0, MAX_FRAMES)
    .map(({ groups }) => `${groups?.call ?? ''} ${(groups?.place ?? '').replace(/^.*\/(?=[^/]*\/[^/]*$)/, '')}`.trim())
    .join(', ');
}

function dataOf(error: EvenkeelError): Record<string, string | number | boolean> {
  const entries = Object.entries(error.data).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, safeField(name, value)]));
}
