import { badRequest, type FieldIssue, invalid } from '../api-error.ts';
import { forbiddenField, notSupported } from '../field-issue.ts';
import { isTrue } from '../request-info.ts';
import { type FieldSelector, parseFieldSelector } from '../selectors/field-selector.ts';
import { type LabelSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import type { ResourceRequest } from '../state/resource-request.ts';

/** The options of a list, a watch or a collection's deletion (meta.k8s.io/v1 ListOptions). */
export interface ReadOptions {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  readonly limit: number;
  readonly continueToken: string;
  /** Absent when the client did not send it, which means the most recent state. */
  readonly resourceVersion: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** Reads the options from the query. @throws ApiError 400, or 422 for invalid ListOptions. */
export function readOptions({ query, type, info }: ResourceRequest): ReadOptions {
  const match = query.get('resourceVersionMatch') ?? '';
  const sendInitialEvents = query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined;
  const issues =
    info.verb === 'watch' ? watchIssues(match, sendInitialEvents, query) : listIssues(match, sendInitialEvents, query);
  if (issues.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', issues);
  return {
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? '', type),
    limit: integer(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    resourceVersion: version(query.get('resourceVersion') ?? ''),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents,
    timeoutSeconds: integer(query, 'timeoutSeconds'),
  };
}

function listIssues(match: string, sendInitialEvents: boolean | undefined, query: URLSearchParams): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const path = 'resourceVersionMatch';
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (match !== '') {
    if (resourceVersion === '') {
      issues.push(forbiddenField(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if ((query.get('continue') ?? '') !== '') {
      issues.push(forbiddenField(path, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      issues.push(notSupported(path, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      issues.push(forbiddenField(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    issues.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return issues;
}

function watchIssues(match: string, sendInitialEvents: boolean | undefined, query: URLSearchParams): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const path = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    issues.push(forbiddenField(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
      issues.push(forbiddenField(path, detail));
    }
    if (match !== 'NotOlderThan') issues.push(notSupported(path, match, ['NotOlderThan']));
    if ((query.get('continue') ?? '') !== '') {
      issues.push(forbiddenField(path, 'resourceVersionMatch is forbidden when continue is provided'));
    }
  }
  return issues;
}

function version(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const parse = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parse}`);
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
