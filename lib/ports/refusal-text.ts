import type { ApiError, FieldFault } from './cluster-api.ts';

/** The text of a condition about a refused request. */
export interface RefusalText {
  readonly reason: 'QuotaExceeded' | 'AdmissionDenied' | 'NamespaceTerminating' | 'ValidationFailed' | 'AccessDenied';
  readonly message: string;
}

const SHOWN_FAULTS = 3;

/**
 * Which part of the API server refused a request, and what to do about it (R-3.11). All controllers use this one
 * mapping. It contains no value of the request and no text of the server.
 * @param what the request as a person reads it, e.g. `Making the Service`.
 * @returns undefined when the request was not refused, but failed.
 */
export function refusalText(what: string, { reason, refusal }: ApiError): RefusalText | undefined {
  switch (refusal?.by) {
    case 'quota':
      return {
        reason: 'QuotaExceeded',
        message: `${what} is refused by quota: a ResourceQuota of the namespace is used up, is missing, or asks for requests or limits that are not set. It is tried again.`,
      };
    case 'admission': {
      const whose = refusal.policy === undefined ? 'an admission policy' : `the admission policy ${refusal.policy}`;
      return { reason: 'AdmissionDenied', message: `${what} is refused by ${whose}. It is tried again.` };
    }
    case 'termination':
      return {
        reason: 'NamespaceTerminating',
        message: `${what} is refused: the namespace is being deleted. It is tried again.`,
      };
    case 'validation':
      return {
        reason: 'ValidationFailed',
        message: `${what} is refused: the API server does not accept ${faultsText(refusal.faults)}. It is tried again.`,
      };
  }
  if (reason !== 'Forbidden') return undefined;
  return { reason: 'AccessDenied', message: `${what} is forbidden to evenkeel: permit it by RBAC.` };
}

function faultsText(faults: readonly FieldFault[]): string {
  if (faults.length === 0) return 'the object';
  const shown = faults
    .slice(0, SHOWN_FAULTS)
    .map(({ field, reason }) => (reason === '' ? field : `${field} (${reason})`));
  const more = faults.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
