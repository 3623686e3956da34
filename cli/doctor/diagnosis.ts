import type { GroupDiagnosis } from '../../lib/controllers/group.ts';

/** The result of one check, and its place. */
export interface Diagnosis extends GroupDiagnosis {
  /** `AWS`, or a cluster's name. */
  readonly about: string;
}

export function ok(about: string, text: string): Diagnosis {
  return { about, level: 'ok', text };
}

export function note(about: string, text: string, advice?: string): Diagnosis {
  return { about, level: 'note', text, ...(advice !== undefined && { advice }) };
}

export function trouble(about: string, text: string, advice: string): Diagnosis {
  return { about, level: 'trouble', text, advice };
}
