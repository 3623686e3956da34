import type { YamlMapping, YamlValue } from './strict-yaml.ts';

/** Parts of keys that name credentials, in lower case and without punctuation. */
const CREDENTIAL_WORDS = ['apikey', 'authorization', 'credential', 'password', 'secret', 'token', 'header'];
const TOKENS = 'tokens';

/** The providers of a models document, each with a name; undefined when there are none. */
export function providersOf(models: YamlMapping): YamlValue[] | undefined {
  const providers = models.get('providers');
  const entries = providers instanceof Map ? [...providers.values()] : Array.isArray(providers) ? providers : [];
  return entries.length === 0 ? undefined : entries;
}

/** Whether a provider declares that it needs no authentication, because the proxy in front of it has the credentials. */
export function needsNoAuthentication(provider: YamlValue): boolean {
  return provider instanceof Map && provider.get('auth') === 'none';
}

/** Whether a key anywhere in the value names credentials, or a text is a URL that could carry one. */
export function mayCarryCredentials(value: YamlValue): boolean {
  if (typeof value === 'string') return hasUnsafeUrl(value);
  if (Array.isArray(value)) return value.some(mayCarryCredentials);
  if (!(value instanceof Map)) return false;
  return [...value].some(
    ([key, inner]) => isCredentialKey(key, inner) || hasUnsafeUrl(key) || mayCarryCredentials(inner),
  );
}

function isCredentialKey(key: string, value: YamlValue): boolean {
  const letters = key
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  if (!CREDENTIAL_WORDS.some((word) => letters.includes(word))) return false;
  return !isTokenCount(letters, value);
}

/** `maxTokens: 8192`: the number of tokens that a model takes is not a credential. */
function isTokenCount(letters: string, value: YamlValue): boolean {
  const others = CREDENTIAL_WORDS.filter((word) => word !== 'token');
  return (
    typeof value === 'number' &&
    letters.endsWith(TOKENS) &&
    letters.length > TOKENS.length &&
    !others.some((word) => letters.includes(word)) &&
    !letters.slice(0, -TOKENS.length).includes('token')
  );
}

/** With or without a scheme, and with the backslashes that URL parsers take for slashes. */
const AFTER_SLASHES = /[\\/]{2}[^\s"'<>`]+/g;
/** A text that URL parsers read as a URL with a host although the slashes are missing: `https:user@host`. */
const SLASHLESS = /\b(?:https?|wss?|ftp):(?![\\/]{2})[^\s"'<>`]+/gi;
const BEGINS_AS_URL = /^(?:(?:[a-z][a-z0-9+.-]*:)?[\\/]{2}|(?:https?|wss?|ftp):)/i;

/** Matching each expression takes linear time for any text. */
function hasUnsafeUrl(text: string): boolean {
  const inText = [...text.matchAll(AFTER_SLASHES), ...text.matchAll(SLASHLESS)].map(([url]) => url);
  const whole = asUrlParsersSee(text);
  const urls = BEGINS_AS_URL.test(whole) ? [...inText, whole] : inText;
  return urls.some((url) => /[?#]/.test(url) || authorityOf(url).includes('@'));
}

/** URL parsers skip text before a URL and drop line ends and tabs in it. They take spaces and quotes for a part of it. */
function asUrlParsersSee(text: string): string {
  return text.replace(/^[\s\p{Cc}]+/u, '').replace(/[\t\n\r]/g, '');
}

function authorityOf(url: string): string {
  const afterScheme = url.replace(/^[a-z][a-z0-9+.-]*:/i, '').replace(/^[\\/]+/, '');
  return afterScheme.split(/[\\/]/)[0] ?? '';
}
