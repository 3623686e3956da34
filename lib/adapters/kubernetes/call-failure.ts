import { EvenkeelError } from '../../core/errors.ts';
import { ApiError } from '../../ports/cluster-api.ts';
import type { CallDeadline } from '../http/call-deadline.ts';
import { errorCode, isProxyRefusal, isUnreadableAnswer } from '../http/transport-failure.ts';
import { type ApiCall, describeCall } from './api-call.ts';
import { CredentialsError } from './credentials/token-source.ts';

/** The error that a transport's failure to bring a whole answer stands for. The outcome of a write is then unknown. */
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
  const why = error instanceof EvenkeelError ? error.message : (code ?? 'connection failed');
  return new ApiError('Unreachable', `${head}: the API server could not be reached: ${why}`, { cause: error });
}
