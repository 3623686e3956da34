import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';

/** Why a service for this machine only refuses a request. */
export interface Refusal {
  /** 403: the request comes from a web page. 401: its credential is missing or wrong. */
  readonly status: 401 | 403;
  readonly message: string;
}

/** Whether an Authorization header has the credential that was created at the start. */
export type CredentialCheck = (authorization: string | undefined) => boolean;

/**
 * The names of a service on 127.0.0.1. Every other name belongs to somebody who could point it to this address (DNS
 * rebinding).
 */
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** The values of Sec-Fetch-Site for a request that the user typed, or that a page of the same service sent. */
const trustedSites = new Set(['none', 'same-origin']);

/**
 * Why a request is refused: it does not come from a program of this user. Undefined when the service answers
 * it. Host, Origin and Sec-Fetch-Site show that a web page sent it. A missing credential shows that another user of the
 * machine sent it.
 * @param isAuthorized absent for a service that checks credentials itself.
 */
export function refusalOf(headers: IncomingHttpHeaders, isAuthorized?: CredentialCheck): Refusal | undefined {
  const host = (headers.host ?? '').toLowerCase();
  if (!loopbackNames.has(host.replace(/:\d{1,5}$/, ''))) {
    return forbidden('this server answers only requests for 127.0.0.1, localhost or [::1]');
  }
  const origin = headers.origin?.toLowerCase();
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return forbidden('this server answers no web page: the request has an Origin header');
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !trustedSites.has(String(site))) {
    return forbidden('this server answers no web page: the request has a Sec-Fetch-Site header');
  }
  return isAuthorized?.(headers.authorization) === false ? { status: 401, message: 'Unauthorized' } : undefined;
}

/**
 * Accepts `Bearer TOKEN`, and `Basic` with the token as the password under any name, for clients that send only a user
 * name and a password.
 * @param isIssued whether another token is valid too.
 */
export function tokenCheck(token: string, isIssued: (token: string) => boolean = () => false): CredentialCheck {
  return (authorization = '') => {
    const space = authorization.indexOf(' ');
    const scheme = authorization.slice(0, space).toLowerCase();
    const given = authorization.slice(space + 1).trim();
    if (scheme === 'bearer') return isSame(given, token) || isIssued(given);
    if (scheme !== 'basic') return false;
    const password = passwordOf(given);
    return isSame(password, token) || isIssued(password);
  };
}

/** Accepts an AWS signature that names the access key. The signature itself is not checked. */
export function accessKeyCheck(accessKeyId: string): CredentialCheck {
  const before = 'AWS4-HMAC-SHA256 Credential=';
  return (authorization = '') =>
    authorization.startsWith(before) && isSame(authorization.slice(before.length).split('/', 1)[0] ?? '', accessKeyId);
}

/** Adds the check before all present request listeners of a server. */
export function guardServer(server: Server, isAuthorized?: CredentialCheck): void {
  const answering = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request.headers, isAuthorized);
    if (refusal === undefined) for (const answer of answering) answer.call(server, request, response);
    else response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(`${refusal.message}\n`);
  });
}

function forbidden(message: string): Refusal {
  return { status: 403, message };
}

function passwordOf(basic: string): string {
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

/** Compares in constant time, so that the time does not reveal how many characters match. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
