import type { ClientCertificate, CredentialSource, TokenSource } from '../credentials/token-source.ts';

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
  readonly clientCertificate?: ClientCertificate;
  readonly token?: TokenSource;
  /** A credential plugin, in place of certificate and token: local use only. */
  readonly plugin?: CredentialSource;
  /** An http or https proxy that every connection goes through; may hold a password. Local use only. */
  readonly proxy?: string;
  /** Refuses to connect to loopback, link-local and metadata addresses, also behind a name. */
  readonly refuseLocalAddresses?: boolean;
}
