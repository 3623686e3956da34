import type { ClientCertificate, CredentialSource, TokenSource } from '../credentials/token-source.ts';

/** The address of one API server, and the credentials for it. Holds secrets: never log it. */
export interface ClusterConnection {
  /** `https://host:port`, and the path when the API is not at the root. */
  readonly server: string;
  /**
   * PEM certificates of the authority that must have signed the server's certificate. Absent: the authorities that
   * Node.js trusts.
   */
  readonly certificateAuthority?: string;
  /** The name that the server's certificate must have, when it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** Do not check the server's certificate. Local use only. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly clientCertificate?: ClientCertificate;
  readonly token?: TokenSource;
  /** A credential plugin that replaces certificate and token. Local use only. */
  readonly plugin?: CredentialSource;
  /** An http or https proxy for all connections; the URL may contain a password. Local use only. */
  readonly proxy?: string;
  /** Refuse connections to loopback, link-local and metadata addresses, also when a name resolves to one. */
  readonly refuseLocalAddresses?: boolean;
}
