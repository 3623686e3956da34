import { isIP, isIPv6 } from 'node:net';
import { parseDuration } from './duration.ts';

const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const HOSTNAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/i;
/**
 * A match starts only at the first digit of a number. If it could start at each digit, the search would take quadratic
 * time.
 */
const SCALA_DURATION = /(?<!\d)(\d+)\s*([A-Za-zµ]+)/g;
const SCALA_UNIT = /^(?:ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)/i;

type Test = (text: string) => boolean;

const expression = (pattern: RegExp): Test => {
  return (text) => pattern.test(text);
};

/**
 * The string formats that CRD schemas may check (k8s.io/apiextensions-apiserver, supportedVersionedFormats), by name
 * without dashes. isbn, creditcard and ssn are on that list, but are accepted here without a check.
 */
const FORMATS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['datetime', isDateTime],
  ['date', isDate],
  ['duration', isDuration],
  ['byte', expression(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['password', () => true],
  ['uri', isRequestUri],
  ['email', expression(/^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/)],
  ['hostname', isHostname],
  ['ipv4', (text) => isIP(text) === 4],
  ['ipv6', (text) => isIPv6(text)],
  ['cidr', isCidr],
  [
    'mac',
    expression(
      /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}\1){0,2}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i,
    ),
  ],
  ['uuid', expression(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', expression(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', expression(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', expression(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['hexcolor', expression(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['bsonobjectid', expression(/^[0-9a-f]{24}$/i)],
  ['k8sshortname', (text) => text.length <= 63 && DNS_LABEL.test(text)],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every(expression(DNS_LABEL))],
]);

/** Whether strings of the format are checked. Other formats are ignored, as on the real server. */
export function isKnownFormat(format: string): boolean {
  return FORMATS.has(bare(format));
}

/** Whether the text has the format; always true for an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  return FORMATS.get(bare(format))?.(text) ?? true;
}

function bare(format: string): string {
  return format.replaceAll('-', '');
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const parts = TIME.exec(time);
  if (parts === null) return false;
  return Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

/** Go's duration syntax, or Scala's ("5 days"), which the real server accepts too. */
function isDuration(text: string): boolean {
  if (parseDuration(text) !== undefined) return true;
  return [...text.matchAll(SCALA_DURATION)].some((match) => SCALA_UNIT.test(match[2] ?? ''));
}

function isHostname(text: string): boolean {
  if (!HOSTNAME.test(text) || Buffer.byteLength(text) > 255) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63);
}

/** An absolute URI or an absolute path, as Go's url.ParseRequestURI accepts it. */
function isRequestUri(text: string): boolean {
  if (text.startsWith('/')) return !text.includes(' ');
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);
}

function isCidr(text: string): boolean {
  const slash = text.lastIndexOf('/');
  const version = slash < 0 ? 0 : isIP(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  return version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}
