import type { GroupDiagnosis } from '../../lib/controllers/group.ts';

/** The result of one check, and its place. */
export interface Diagnosis extends Omit<GroupDiagnosis, 'level' | 'reason'> {
  /** `AWS`, or a cluster's name. */
  readonly about: string;
  /** In addition to those of groups: `warning`, something could not be checked, so there may be trouble. */
  readonly level: GroupDiagnosis['level'] | 'warning';
  /**
   * The reasons that a deployment uses. In addition to those of groups: `DefinitionOlder`, a CRD in the cluster is
   * older than this release or missing; `DefinitionsUnknown`, the CRDs of the cluster could not be compared.
   */
  readonly reason?: GroupDiagnosis['reason'] | 'DefinitionOlder' | 'DefinitionsUnknown';
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

export function warning(about: string, text: string, advice: string): Diagnosis {
  return { about, level: 'warning', text, advice };
}
