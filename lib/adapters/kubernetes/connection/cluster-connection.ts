import type { TokenSource } from '../credentials/token-source.ts';

/** How one API server is reached, and as whom. Holds secrets: never log it. */
export interface ClusterConnection {
  /** `https://host:port`, with a path where the API lies under one. */
  readonly server: string;
  /** PEM certificates that the server's must come from. Absent: those that Node trusts. */
  readonly certificateAuthority?: string;
  /** The name that the server's certificate must carry, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** The server's certificate is not checked: local use only. */
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: TokenSource;
  /** Refuses to connect to loopback, link-local and metadata addresses, also behind a name. */
  readonly refuseLocalAddresses?: boolean;
}
