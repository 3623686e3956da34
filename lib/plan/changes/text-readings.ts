/** How many nested encodings are decoded. */
const MAX_DEPTH = 3;
/** A shorter run of base64 decodes to a text that is too short to be searched for. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{6,}/g;
/** The start of a run is not certain, because a word or a path may stand directly before it. */
const BASE64_OFFSETS = [0, 1, 2, 3] as const;

/** A text, and its forms after decoding percent-encoding, JSON escapes and base64. */
export function textReadings(text: string): ReadonlySet<string> {
  const plain = unescaped(text);
  const decoded = [...plain].flatMap(withoutBase64).flatMap((one) => [...unescaped(one)]);
  return new Set([...plain, ...decoded]);
}

/** Applies each decoding alone, because a text may only look encoded. */
function unescaped(text: string): ReadonlySet<string> {
  const all = new Set([text]);
  let latest = [text];
  for (let depth = 0; depth < MAX_DEPTH && latest.length > 0; depth += 1) {
    latest = latest
      .flatMap((one) => [withoutPercent(one), withoutForm(one), withoutJsonEscapes(one)])
      .filter((one) => !all.has(one));
    for (const one of latest) all.add(one);
  }
  return all;
}

function withoutPercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'));
}

function withoutForm(text: string): string {
  return text.includes('%') ? withoutPercent(text.replaceAll('+', ' ')) : text;
}

function withoutJsonEscapes(text: string): string {
  return text.replace(/\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi, (code) => {
    try {
      return JSON.parse(`"${code}"`) as string;
    } catch {
      return code;
    }
  });
}

function withoutBase64(text: string): string[] {
  const runs = text.match(BASE64_RUN) ?? [];
  if (runs.length === 0) return [];
  return BASE64_OFFSETS.map((offset) =>
    runs.map((run) => Buffer.from(run.slice(offset), 'base64').toString('utf8')).join('\n'),
  );
}
