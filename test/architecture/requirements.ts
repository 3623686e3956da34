/** Every requirement in a few words, by number. docs/requirements.md names the tests of each. */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  'R-1.1': 'Level-based: a pass works from current reads, never from what an event carried',
  'R-1.2': 'Initial list, watch and resync each lead to the same result; no event at all is fine',
  'R-1.3': 'Idempotent: three passes without a change write nothing',
  'R-1.4': 'Drift of owned objects is repaired, what is no longer wanted is pruned',
  'R-1.5': 'At most one pass per UID at a time, by a fenced lease',
  'R-1.6': 'A slow or failing resource delays no other',
  'R-1.7': 'Failed operations are retried with durable, jittered, bounded backoff',
  'R-1.8': 'A newer event causes another pass, also when it arrives during one',
  'R-1.9': 'Deletion takes precedence over older updates',
  'R-1.10': 'Any number of replicas; one deployment drives a cluster, others are refused',
  'R-1.11': 'Identity is the UID: an object recreated under a name is another resource',
  'R-1.12': 'Writes are conditional on UID and resourceVersion; conflicts are retried through the queue',
  'R-1.13': 'Controllers write only fields they own',
  'R-1.14': 'Every condition and status carries its observedGeneration',
  'R-1.15': 'Durable finalization: the finalizer stays until absence is confirmed',
  'R-1.16': 'A missing event payload never completes cleanup',
  'R-1.17': 'Destructive actions fail closed when an observation failed',
  'R-1.18': 'Deletes carry preconditions and only target owned objects',
  'R-1.19': 'Finalizers are added and removed one by one, tested',
  'R-1.20': 'Ownership is by owner reference, or by label, annotation and recorded UID; set at creation',
  'R-1.21': 'Objects that are not owned are never changed, adopted or deleted',
  'R-1.22': 'No condition is True without evidence read in that pass',
  'R-1.23': 'lastTransitionTime changes only with the status; findings are sorted',
  'R-1.24': 'No secret, token or raw server response reaches status, events, logs, metrics, queue or table',
  'R-1.25': 'Passes may ask to run again; deadlines are durable',
  'R-1.26': 'Deadlines fire no earlier than due and soon after',
  'R-1.27': 'What an author returns, throws or leaves uncaught is checked, and ends as a committed outcome',
  'R-1.28': 'Absence at an address proves nothing about a UID: only the recorded address counts',
  'R-1.29': 'A clock that steps by ten minutes delays nothing by more than a lease and a minute',
  'R-1.30': 'Terminal errors and deletions show on the object; nothing stale stays True',
  'R-1.31': 'Conditions of others are left as they are',
  'R-1.32': "Equality is the API server's: what it omits, defaults, normalizes or never returns is no difference",
  'R-1.33': "Text is cut by the limit's own unit, never inside a character",
  'R-2.1': 'Contract gone: its state and its series go',
  'R-2.2': 'Secret absent: SecretExists False, its creation triggers the next pass',
  'R-2.3': 'Read forbidden: SecretAccessDenied, without the raw response',
  'R-2.4': 'Read timed out: nothing old is presented as new',
  'R-2.5': 'Invalid content waits for events, ages set deadlines, External Secrets are polled moderately',
  'R-2.6': 'No finalizer and no ownership: deleting a contract touches nothing else',
  'R-2.7': 'Mutation module, off unless both switches permit it',
  'R-2.8': 'A pass without a dependency change makes no status patch',
  'R-2.9': 'A newer generation never carries an older result',
  'R-2.10': 'No oracle: content rules need permission',
  'R-2.11': 'A change of only a grant moves Authorized',
  'R-2.12': 'A format is satisfied only when the whole value was parsed',
  'R-2.13': 'A rollout that is due survives every failure, is carried out once, and never tells content',
  'R-2.14': 'The cost of patterns is bounded before they are compiled',
  'R-2.15': 'A deadline that has passed is judged from what was recorded: it fires once',
  'R-3.1': 'A Gateway converges its owned objects, gated on database and identity',
  'R-3.2': 'Health is a report, never a gate',
  'R-3.3': 'Gateway deletion goes in order, each step confirmed absent',
  'R-3.4': 'A ManagedDatabase in use is not destroyed',
  'R-3.5': 'Namespace GC removes only namespaces whose owner is confirmed gone',
  'R-3.6': 'Odd deliveries of delete events change nothing about the outcome',
  'R-3.7': 'The identity provider is an external system behind a port',
  'R-3.8': 'Settings say which realms, redirect hosts and route hosts a namespace may ask for',
  'R-3.9': 'Marks alone prove nothing: what is ours was recorded before it was created',
  'R-3.10': 'An empty answer counts as absence only where the account may see what it asked for',
  'R-3.11': 'Every refusal says what refused',
  'R-4.1': 'Host and Workspace changes enqueue exactly the affected objects',
  'R-4.2': 'Sessions fail closed',
  'R-4.3': 'Revocation deletes only the session-owned Pod and Service',
  'R-4.4': 'ConfigMaps and Secrets are read by exact name; one poll for all readers',
  'R-4.5': 'Workspace deletion supports Delete and Retain, after an authoritative list',
  'R-4.6': 'The PVC is validated again immediately before a Pod is created',
  'R-4.7': 'No authorization-critical state is published from stale data',
  'R-4.8': 'T4ClusterHost is status-only',
  'R-4.9': 'An ownership conflict does not reset validated conditions',
  'R-4.10': 'Nothing waits for what only its own next step brings',
  'R-4.11': 'A Pod that was evicted or lost its node is replaced; a slow start says why',
  'R-4.12': 'A claim that vanished is DataMissing until a person says otherwise',
  'R-4.13': 'Pods are replaced when content that they use changed, not its resourceVersion',
  'R-5.1': 'Events are skinny, under 1 KB',
  'R-5.2': 'MessageGroupId identifies the UID; deduplication ids name observations',
  'R-5.3': 'One failing or slow message never affects another group',
  'R-5.4': 'Only infrastructure failures leave a message on the queue',
  'R-5.5': 'A crash at any instruction loses no wakeup and no deadline',
  'R-5.6': 'An ambiguous conditional write is recognised as our own success',
  'R-5.7': 'The relay resumes, recovers, stays flat in memory, and never passes an unsent event',
  'R-5.8': 'What happened while everything was down is found; a restored cluster is recognised',
  'R-5.9': 'A resync flood does not starve user changes',
  'R-5.10': 'One kind that is denied or missing does not stop others',
  'R-5.11': 'Steady state costs are bounded',
  'R-5.12': 'Least privilege for roles and cluster identities',
  'R-5.13': 'Everything is observable',
  'R-5.14': 'A dead or throttling cluster does not occupy the workers of others',
  'R-5.15': 'After a new reconciler version every target gets a pass',
  'R-5.16': 'Cluster connections are verified and pinned',
  'R-5.17': 'Amplification is bounded: many readers or many changes delay nobody else',
  'R-5.18': 'Memory is bounded by bytes, not by counts',
  'R-5.19': 'One unreadable item, message, parameter or object harms itself alone, and is named',
  'R-5.20': 'A message is dead only for a reason of its own, counted by us',
  'R-5.21': 'The embedded state is durable',
  'R-5.22': 'Every alarm is shown to fire and to clear',
  'R-5.23': 'A stage can be deployed in several regions and redeployed after parts were deleted',
  'R-5.24': 'Services for one machine answer only programs of that user',
  'R-6.1': '`npm ci && npm start` and `npm ci && npm test` work on Node 20 or newer',
  'R-6.2': '`npm start` prints a kubeconfig that stock kubectl works with',
  'R-6.3': 'The same code points at any real cluster and at a cloud account',
  'R-6.4': 'Every error a user can cause says what was wrong, where, and what to do',
  'R-6.5': 'Condition transitions appear as Kubernetes Events',
  'R-6.6': 'Another author can write a controller on the exports',
  'R-6.7': 'An installation can be limited; resource, cluster and deployment can be paused',
  'R-6.8': 'Leaving is possible; rolling back needs no migration',
  'R-6.9': 'A controller of another author goes from init to the cloud without a clone',
  'R-6.10': 'A console shows what is reconciled, and why not',
  'R-6.11': '`plan` shows what a controller version would write, without writing',
  'R-6.12': 'Words are plain, each has one meaning',
  'R-6.13': 'Conditions follow kstatus',
};

/** Test titles by the requirement numbers they begin with. */
export function titlesByRequirement(
  files: Readonly<Record<string, string>>,
): Map<string, { file: string; title: string }[]> {
  const found = new Map<string, { file: string; title: string }[]>();
  for (const file of Object.keys(files).sort()) {
    for (const [, , title = ''] of (files[file] ?? '').matchAll(
      /(['"`])((?:[RI]-?\d+(?:\.\d+)?[,:]?\s)(?:\\.|(?!\1)[^\\])*)\1/g,
    )) {
      const numbers = /^(?:[RI]-?\d+(?:\.\d+)?[,:]?\s+)+/.exec(title)?.[0].match(/R-\d+\.\d+/g) ?? [];
      const text = title
        .replace(/^(?:[RI]-?\d+(?:\.\d+)?[,:]?\s+)+/, '')
        .replace(/\\(.)/g, '$1')
        .replace(/\s+/g, ' ');
      for (const number of new Set(numbers)) found.set(number, [...(found.get(number) ?? []), { file, title: text }]);
    }
  }
  return found;
}

/** The text that docs/requirements.md must have for these tests. */
export function requirementsPage(files: Readonly<Record<string, string>>): string {
  const titles = titlesByRequirement(files);
  const sections = Object.entries(REQUIREMENTS).map(([number, text]) => {
    const tests = titles.get(number) ?? [];
    const byFile = Map.groupBy(tests, ({ file }) => file);
    const lines = [...byFile].map(
      ([file, held]) => `- \`${file}\`\n${held.map(({ title }) => `  - ${title}`).join('\n')}`,
    );
    return `### ${number} ${text}\n\n${lines.length === 0 ? 'Not held by a test yet.' : lines.join('\n')}\n`;
  });
  const open = Object.keys(REQUIREMENTS).filter((number) => !titles.has(number));
  return `# Requirements and the tests that hold them

Written by \`npm run requirements\` from the titles of the tests, each of which begins with the numbers it holds; a test
fails when this page is out of date.

Not held by a test yet: ${open.length === 0 ? 'none' : open.join(', ')}.

${sections.join('\n')}`;
}
