import { inject } from 'vitest';
import { type ApiServer, type ApiServerAddress, connectApiServer } from './connect-api-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by global-setup.ts. */
    realApiServer: ApiServerAddress;
  }
}

/** The control plane that all test files of a run share. Keep to a namespace of your own (`withNamespace`). */
export function sharedApiServer(): Promise<ApiServer> {
  return connectApiServer(inject('realApiServer'));
}
