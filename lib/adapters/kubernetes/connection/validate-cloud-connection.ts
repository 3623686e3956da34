import { isIP } from 'node:net';
import { EvenkeelError } from '../../../core/errors.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { isLocalAddress } from './local-address.ts';

/**
 * Checks the rules for connections of a cloud deployment. Use the returned connection: it also checks resolved
 * addresses. Redirects and proxy variables need no rule, because no connection follows or reads them.
 * @throws EvenkeelError CLOUD_CONNECTION_REFUSED, with the reason and the remedy.
 */
export function validateCloudConnection(connection: ClusterConnection): ClusterConnection {
  const url = parseServer(connection.server);
  if (url.protocol !== 'https:') {
    throw refusal(`the server ${url.origin} is not reached by https`, 'Give an https:// address');
  }
  if (connection.insecureSkipTlsVerify === true) {
    throw refusal(
      "it skips the check of the server's certificate",
      'Remove insecure-skip-tls-verify and give the certificate authority',
    );
  }
  if (connection.certificateAuthority === undefined || connection.certificateAuthority.trim() === '') {
    throw refusal('it has no certificate authority', "Give the cluster's certificate-authority-data");
  }
  if (connection.proxy !== undefined) {
    throw refusal(
      'it goes through a proxy (proxy-url)',
      'Remove it: a cloud deployment connects to the API server itself',
    );
  }
  if (connection.plugin !== undefined) {
    throw refusal(
      'it runs a credential plugin',
      'Use a service account token, a client certificate, or EKS authentication by the role of the function',
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (/(^|\.)localhost$/i.test(host) || (isIP(host) !== 0 && isLocalAddress(host))) {
    throw refusal(
      `the server ${host} is a loopback, link-local or metadata address`,
      "Give the API server's own address",
    );
  }
  return { ...connection, refuseLocalAddresses: true };
}

function parseServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined) throw refusal('its server is not a URL', 'Give one such as https://host:443');
  // The text is not shown, because it may contain a password.
  if (url.username !== '' || url.password !== '') {
    throw refusal('its server URL holds a user name or password', 'Remove it, and give a token instead');
  }
  return url;
}

function refusal(what: string, advice: string): EvenkeelError {
  return new EvenkeelError(
    'CLOUD_CONNECTION_REFUSED',
    `the cluster connection cannot be used in a cloud deployment: ${what}. ${advice}.`,
  );
}
