import type { ChangedObject } from '../../core/changed-object.ts';
import type { QueueMessage } from '../../core/event.ts';
import { kindId, type ResourceType } from '../../core/resource-type.ts';
import { cutToCodePoints } from '../../core/text.ts';

const LONGEST = 240;

type AnyFields = Pick<QueueMessage, 'cause' | 'namespace' | 'name'> & {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dueAt?: number;
  readonly changed?: ChangedObject;
};

interface DescribedCall {
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly scope: { readonly event: QueueMessage } | undefined;
}

/** A call as a line of a timeline. */
export function describeCall({ port, method, args, scope }: DescribedCall): string {
  const shown = args.map(describeArgument).filter((text) => text !== '');
  const about = scope === undefined ? '' : ` (for: ${describeEvent(scope.event)})`;
  return `${port}.${method} ${cutToCodePoints(shown.join(' '), LONGEST)}${about}`;
}

/** A short text for a message, from the fields that it has. */
export function describeEvent(message: QueueMessage): string {
  const { cause, namespace, name, uid = '', resourceVersion, dueAt, changed }: AnyFields = message;
  const what = changed === undefined ? '' : ` on ${changed.kind} ${changed.namespace}/${changed.name}`;
  const version = changed?.resourceVersion ?? resourceVersion;
  const gone = changed?.deleted === true ? ' deleted' : '';
  const at = version === undefined ? '' : `@${version}`;
  const due = dueAt === undefined ? '' : ` at ${clockTime(dueAt)}`;
  return `${cause} ${namespace}/${name}${shortUid(uid)}${what}${at}${gone}${due}`;
}

/** `hh:mm:ss.mmm` of the simulated day. */
export function clockTime(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString().slice(11, 23);
}

function describeArgument(argument: unknown): string {
  if (argument === undefined || argument instanceof AbortSignal) return '';
  if (typeof argument !== 'object' || argument === null) return String(argument);
  if (isResourceType(argument)) return kindId(argument);
  if (Array.isArray(argument)) return argument.map(describeArgument).join(', ');
  return describeObject(argument as Record<string, unknown>);
}

function describeObject(value: Record<string, unknown>): string {
  if (typeof value.body === 'string') return describeBody(value.body);
  if (isTarget(value)) return `${value.kind} ${value.namespace}/${value.name}${shortUid(value.uid)}`;
  const { signal: _, fieldManager: __, ...rest } = value;
  const parts = Object.entries(rest).map(([key, part]) => {
    if (isTarget(part)) return describeObject(part);
    if (typeof part === 'number' && part > 1e12 && key.endsWith('Ms')) return `${key}=${clockTime(part)}`;
    return `${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`;
  });
  return parts.join(' ');
}

function describeBody(body: string): string {
  try {
    const parsed = JSON.parse(body) as QueueMessage | { type: string; dueAtMs: number };
    return 'cause' in parsed ? describeEvent(parsed) : `wake of a ${parsed.type} at ${clockTime(parsed.dueAtMs)}`;
  } catch {
    return body;
  }
}

function isTarget(value: unknown): value is { kind: string; namespace: string; name: string; uid: string } {
  return typeof value === 'object' && value !== null && 'uid' in value && 'kind' in value && 'namespace' in value;
}

function isResourceType(argument: object): argument is ResourceType {
  return 'plural' in argument && 'namespaced' in argument;
}

function shortUid(uid: string): string {
  return uid === '' ? '' : `(${uid.slice(-4)})`;
}
