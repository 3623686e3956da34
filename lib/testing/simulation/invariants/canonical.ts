/** The same text for the same content, whatever the order of its fields. */
export function canonical(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}

/** Of a message's body; what is no JSON stands for itself. */
export function canonicalBody(body: string): string {
  try {
    return canonical(JSON.parse(body) as object);
  } catch {
    return body;
  }
}
