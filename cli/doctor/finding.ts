import type { GroupFinding } from '../../lib/controllers/group.ts';

/** One thing that was looked at, and where. */
export interface Finding extends GroupFinding {
  /** `AWS`, or a cluster's name. */
  readonly about: string;
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
