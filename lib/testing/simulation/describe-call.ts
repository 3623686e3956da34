import { kindId, type ResourceType } from '../../core/resource-type.ts';
import type { ObservedCall } from './process.ts';

const LONGEST = 300;

/** A call as a line of a timeline. */
export function describeCall({ port, method, args, scope }: ObservedCall): string {
  const shown = args.map(describeArgument).filter((text) => text !== '');
  const about = scope === undefined ? '' : ` [${scope.event.cause} of ${scope.event.namespace}/${scope.event.name}]`;
  return `${port}.${method} ${shown.join(' ').slice(0, LONGEST)}${about}`;
}

function describeArgument(argument: unknown): string {
  if (argument === undefined || argument instanceof AbortSignal) return '';
  if (isResourceType(argument)) return kindId(argument);
  if (typeof argument !== 'object' || argument === null) return String(argument);
  const { signal: _, fieldManager: __, ...rest } = argument as Record<string, unknown>;
  const text = JSON.stringify(Array.isArray(argument) ? argument : rest);
  return text === '{}' ? '' : text;
}

function isResourceType(argument: unknown): argument is ResourceType {
  return typeof argument === 'object' && argument !== null && 'plural' in argument && 'namespaced' in argument;
}
