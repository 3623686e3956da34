import { cutToUtf8Bytes } from '../../core/text.ts';
import { badRequest, type FieldIssue, invalid } from '../api-error.ts';
import { notSupported } from '../field-issue.ts';
import type { ResourceRequest } from '../state/resource-request.ts';
import type { Subresource } from '../state/resource-type.ts';
import type { FieldValidation, WriteOptions } from '../state/target.ts';

const managerLimit = 128;

/** Reads the options of a create, update or patch. `kind` is the name of the options in the real server's errors. */
export function writeOptions(
  request: ResourceRequest,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const { query, headers, info, warnings } = request;
  const issues: FieldIssue[] = [];
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    issues.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  issues.push(...dryRunIssues(query));
  if (issues.length > 0) throw invalid('meta.k8s.io', kind, '', issues);
  return {
    dryRun: isDryRun(query),
    manager: query.get('fieldManager') || managerOf(headers['user-agent'] ?? ''),
    origin: kind === 'PatchOptions' ? 'patch' : 'body',
    subresource: subresourceOf(info.subresource),
    fieldValidation: toFieldValidation(fieldValidation),
    warn: (text) => warnings.push(text),
  };
}

function dryRunIssues(query: URLSearchParams): FieldIssue[] {
  const values = query.getAll('dryRun');
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

function subresourceOf(path: string): Subresource {
  if (path === '' || path === 'status' || path === 'finalize' || path === 'scale') return path;
  throw badRequest(`unknown subresource ${path}`);
}

/** The real server warns by default. */
function toFieldValidation(value: string): FieldValidation {
  return value === 'Ignore' || value === 'Strict' ? value : 'Warn';
}

/** When no manager is given, it is the part of the user agent before the slash. */
function managerOf(userAgent: string): string {
  const manager = userAgent.split('/')[0] ?? '';
  return manager === '' ? 'unknown' : cutToUtf8Bytes(manager, managerLimit);
}
