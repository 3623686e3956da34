/** One thing that was looked at. */
export interface Finding {
  /** `AWS`, or a cluster's name. */
  readonly about: string;
  readonly level: 'ok' | 'note' | 'trouble';
  readonly text: string;
  /** What to do; for trouble, and some notes. */
  readonly advice?: string;
  /** Names what programs look for. A deployment lists those of `GatewayNotPermitted` before it begins. */
  readonly reason?: 'GatewayNotPermitted';
}

export function ok(about: string, text: string): Finding {
  return { about, level: 'ok', text };
}

export function note(about: string, text: string, advice?: string): Finding {
  return { about, level: 'note', text, ...(advice !== undefined && { advice }) };
}

export function trouble(about: string, text: string, advice: string): Finding {
  return { about, level: 'trouble', text, advice };
}
