import type { AuditEntry } from '../../real-apiserver/audit-log.ts';

/** A pass that was committed, as `evenkeel start --log-format json` prints it. */
export interface PrintedPass {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly cause: string;
  readonly outcome: string;
  /** The Ready condition after it, such as `Ready False SecretNotFound`. */
  readonly condition: string;
  /** Epoch ms. */
  readonly startedAtMs: number;
}

/** A write of a user to a contract or to the Secret of the same name. */
export interface UserWrite {
  readonly namespace: string;
  readonly name: string;
  readonly isDeletion: boolean;
  /** Epoch ms. The API server stored the write between these two times. */
  readonly begunAtMs: number;
  readonly endedAtMs: number;
}

/** @param lines of the standard output of one process or of several, in order. */
export function printedPasses(lines: readonly string[]): PrintedPass[] {
  return lines.flatMap((line) => {
    if (!line.startsWith('{')) return [];
    const { event, end, time, uid, namespace, name, cause, outcome, condition } = JSON.parse(line) as Record<
      string,
      string
    >;
    if (event !== 'pass' || end !== 'committed') return [];
    return [
      {
        uid: uid ?? '',
        namespace: namespace ?? '',
        name: name ?? '',
        cause: cause ?? '',
        outcome: outcome ?? '',
        condition: condition ?? '',
        startedAtMs: Date.parse(time ?? ''),
      },
    ];
  });
}

/** The successful writes of users to contracts and Secrets. */
export function userWrites(entries: readonly AuditEntry[]): UserWrite[] {
  return entries.flatMap(({ userAgent = '', verb, objectRef = {}, responseStatus, ...entry }) => {
    const { resource = '', subresource, namespace = '', name = '' } = objectRef;
    const isEdit = userAgent.startsWith('test') && ['create', 'update', 'patch', 'delete'].includes(verb);
    const isPair = ['secrets', 'secretcontracts'].includes(resource) && subresource === undefined;
    if (!isEdit || !isPair || (responseStatus?.code ?? 0) >= 300) return [];
    const times = {
      begunAtMs: Date.parse(entry.requestReceivedTimestamp),
      endedAtMs: Date.parse(entry.stageTimestamp),
    };
    return [{ namespace, name, isDeletion: verb === 'delete', ...times }];
  });
}

/**
 * The passes that saw nothing new: an earlier pass of the same object began after the last write to the contract and to its
 * Secret, and settled. Three kinds of event are never taken as already observed, and each of them may start a pass:
 * - the timer of a pass that did not settle;
 * - the deletion of a Secret;
 * - an event of a Secret that the last pass did not find, because an absent object has no version to compare with.
 * @param passes in the order of their commits.
 */
export function needlessPasses(passes: readonly PrintedPass[], writes: readonly UserWrite[]): string[] {
  const byName = Map.groupBy(writes, ({ namespace, name }) => `${namespace}/${name}`);
  const histories = Map.groupBy(passes, ({ uid }) => uid);
  return [...histories.values()].flatMap((history) => {
    const id = `${history[0]?.namespace}/${history[0]?.name}`;
    return needlessOf(id, history, byName.get(id) ?? []);
  });
}

function needlessOf(id: string, history: readonly PrintedPass[], writes: readonly UserWrite[]): string[] {
  const deletions = writes.filter(
    ({ isDeletion, begunAtMs }) => isDeletion && begunAtMs >= (history[0]?.startedAtMs ?? 0),
  );
  let settledAtMs: number | undefined;
  let foundNoSecret = false;
  let timers = 0;
  const needless: string[] = [];
  for (const { cause, outcome, condition, startedAtMs } of history) {
    const last = lastOf(writes, startedAtMs);
    const sawWrite = settledAtMs === undefined || last === undefined || last.endedAtMs >= settledAtMs;
    const isOfSecret = cause === 'dependency';
    const isOfDeletion = isOfSecret && !sawWrite && (deletions[0]?.begunAtMs ?? Infinity) <= startedAtMs;
    if (isOfDeletion) deletions.shift();
    const isOfTimer = cause === 'due' && timers > 0;
    if (isOfTimer) timers -= 1;
    if (!sawWrite && !isOfTimer && !isOfDeletion && !(isOfSecret && foundNoSecret)) {
      needless.push(
        `${id}: ${cause} at ${startedAtMs}, after a pass at ${settledAtMs} and a write at ${last.endedAtMs}`,
      );
    }
    foundNoSecret = condition.endsWith(' SecretNotFound');
    if (outcome === 'settled') settledAtMs = startedAtMs;
    else timers += 1;
  }
  return needless;
}

/** The last write that had begun by this time. */
function lastOf(writes: readonly UserWrite[], atMs: number): UserWrite | undefined {
  return writes
    .filter(({ begunAtMs }) => begunAtMs <= atMs)
    .toSorted((a, b) => a.endedAtMs - b.endedAtMs)
    .at(-1);
}
