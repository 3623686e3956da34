const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const AUTHORITY = /^(?:([^@]*)@)?(\[[0-9A-Fa-f:.]+\]|[^:@[\]\s<>"{}|\\^`]*)(?::(\d*))?$/;

/** A URL as Kubernetes' CEL library sees it: an absolute URI or a rooted path, as Go's url.ParseRequestURI accepts. */
export class KubernetesUrl {
  readonly scheme: string;
  /** Host and port as they were written. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** Two URLs are compared by this text. */
  readonly text: string;

  constructor(text: string, scheme: string, hostname: string, port: string | undefined, path: string, query: string) {
    this.scheme = scheme.toLowerCase();
    this.host = port === undefined ? hostname : `${hostname}:${port}`;
    this.hostname = hostname.replace(/^\[|\]$/g, '');
    this.port = port ?? '';
    this.escapedPath = path;
    const values = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(query)) values.set(name, [...(values.get(name) ?? []), value]);
    this.query = values;
    this.text = this.scheme + text.slice(scheme.length);
  }
}

/**
 * Searches the end of each part. A single expression for the whole text would try every length of one part with every
 * length of the next one.
 */
function split(text: string): { scheme: string; authority: string | undefined; path: string; query: string } {
  const question = text.indexOf('?');
  const query = question < 0 ? '' : text.slice(question + 1);
  const before = question < 0 ? text : text.slice(0, question);
  const scheme = SCHEME.exec(before)?.[1] ?? '';
  const rest = scheme === '' ? before : before.slice(scheme.length + 1);
  if (!rest.startsWith('//')) return { scheme, authority: undefined, path: rest, query };
  const slash = rest.indexOf('/', 2);
  const end = slash < 0 ? rest.length : slash;
  return { scheme, authority: rest.slice(2, end), path: rest.slice(end), query };
}

/** The URL, or undefined when the text is not a URL. */
export function parseUrl(text: string): KubernetesUrl | undefined {
  // Go refuses control characters before anything else.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are meant
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const { scheme, authority, path, query } = split(text);
  if (path.includes('#') || authority?.includes('#')) return undefined;
  if (scheme === '' && !text.startsWith('/')) return undefined;
  if (scheme !== '' && authority === undefined && !path.startsWith('/')) {
    return new KubernetesUrl(text, scheme, '', undefined, '', query);
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  const host = AUTHORITY.exec(authority ?? '');
  if (host === null) return undefined;
  return new KubernetesUrl(text, scheme, host[2] ?? '', host[3], path, query);
}
