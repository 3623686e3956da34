import { EvenkeelError } from '../../core/errors.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import type { CallDeadline } from '../http/call-deadline.ts';
import { errorCode, isProxyRefusal, isUnreadableAnswer } from '../http/transport-failure.ts';
import { type ApiCall, describeCall } from './api-call.ts';
import { CredentialsError } from './credentials/token-source.ts';

/** Node.js codes for a server certificate that the connection does not accept. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Returns the error for a call whose whole answer did not arrive. The outcome of a write is then unknown. */
export function callFailure(
  call: ApiCall,
  error: unknown,
  deadline?: Pick<CallDeadline, 'signal' | 'expired'>,
): ApiError {
  const head = describeCall(call);
  if (deadline?.expired) return new ApiError('Timeout', `${head}: no answer in time`, { cause: error });
  if (deadline?.signal.aborted) {
    return new ApiError('Timeout', `${head}: aborted before an answer came`, { cause: deadline.signal.reason });
  }
  if (error instanceof CredentialsError) {
    return new ApiError('Unauthorized', `${head}: nothing was sent, since ${error.message}`, { cause: error });
  }
  const code = errorCode(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ApiError('Timeout', `${head}: no answer in time`, { cause: error });
  }
  if (isUnreadableAnswer(error)) return new ApiError('Malformed', `${head}: what came is not HTTP`);
  if (isProxyRefusal(error)) {
    const why = 'the proxy that the kubeconfig names (proxy-url) made no connection to it';
    return new ApiError('Unreachable', `${head}: ${why}. Check the proxy's address, its password and its rules`);
  }
  if (code !== undefined && UNTRUSTED.has(code)) {
    const why = `its certificate is not trusted (${code})`;
    const advice = "Check the cluster's certificate-authority-data, and that the server is the right one";
    return new ApiError('Unreachable', `${head}: ${why}. ${advice}`, { cause: error });
  }
  const why = error instanceof EvenkeelError ? error.message : (code ?? 'connection failed');
  return new ApiError('Unreachable', `${head}: the API server could not be reached: ${why}`, { cause: error });
}
