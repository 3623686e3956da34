/** How strategic merge patch treats a list: merged by a key of its elements, as a set of values, or replaced. */
export type ListMerge = { readonly key: string } | 'set' | 'replace';

/** The `patchMergeKey` of each list of the built-in kinds, by field name. */
const mergeKeys = new Map([
  ['conditions', 'type'],
  ['containers', 'name'],
  ['env', 'name'],
  ['ephemeralContainers', 'name'],
  ['hostAliases', 'ip'],
  ['imagePullSecrets', 'name'],
  ['initContainers', 'name'],
  ['ownerReferences', 'uid'],
  ['podIPs', 'ip'],
  ['resourceClaims', 'name'],
  ['schedulingGates', 'name'],
  ['secrets', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['volumeDevices', 'devicePath'],
  ['volumeMounts', 'mountPath'],
  ['volumes', 'name'],
]);

/** `path` holds the names of the fields down to the list, elements of lists left out. */
export function listMerge(kind: string, path: readonly string[]): ListMerge {
  const field = path.at(-1) ?? '';
  if (field === 'finalizers') return path.at(-2) === 'metadata' ? 'set' : 'replace';
  if (field === 'ports') {
    if (path.at(-2)?.toLowerCase().endsWith('containers') === true) return { key: 'containerPort' };
    return kind === 'Service' ? { key: 'port' } : 'replace';
  }
  const key = mergeKeys.get(field);
  return key === undefined ? 'replace' : { key };
}
