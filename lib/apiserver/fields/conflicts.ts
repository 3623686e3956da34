/** A field that an apply would change although another manager owns it. */
export interface ApplyConflict {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  /** Such as `.spec.template.spec.containers[name="x"].image`. */
  readonly path: string;
}

/** The other manager as the real server names it: `"kubectl-edit" using apps/v1`. */
export function describeManager(conflict: ApplyConflict): string {
  const subresource =
    conflict.subresource === undefined ? '' : ` with subresource ${JSON.stringify(conflict.subresource)}`;
  const version = conflict.operation === 'Update' ? ` using ${conflict.apiVersion}` : '';
  return `${JSON.stringify(conflict.manager)}${subresource}${version}`;
}

/** The message of the 409 that refuses an apply. Its causes have the reason FieldManagerConflict. */
export function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${describeManager(only)}: ${only.path}`;
  }
  const byManager = new Map<string, string[]>();
  for (const conflict of conflicts) {
    const name = describeManager(conflict);
    byManager.set(name, [...(byManager.get(name) ?? []), conflict.path]);
  }
  const lines = [...byManager].sort(([left], [right]) => (left < right ? -1 : 1));
  const text = lines.flatMap(([name, paths]) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${conflicts.length} conflicts: ${text.join('\n')}`;
}

/** One cause for each conflict, for `details.causes`. */
export function conflictCauses(
  conflicts: readonly ApplyConflict[],
): readonly { readonly reason: string; readonly message: string; readonly field: string }[] {
  return conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeManager(conflict)}`,
    field: conflict.path,
  }));
}
