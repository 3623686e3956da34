const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Parses a Kubernetes style duration (`30s`, `1h30m`, `250ms`) to milliseconds; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^([0-9]+(\.[0-9]+)?(h|ms|m|s))+$/.test(text) || text.length > 64) return undefined;
  let total = 0;
  for (const [, amount = '', , unit = ''] of text.matchAll(/([0-9]+(\.[0-9]+)?)(h|ms|m|s)/g)) {
    total += Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/** A duration as a person writes it, at most two units: `1h30m`, `45s`, `0s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'm'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([amount]) => amount > 0).slice(0, 2);
  return shown.length === 0 ? '0s' : shown.map(([amount, unit]) => `${amount}${unit}`).join('');
}
