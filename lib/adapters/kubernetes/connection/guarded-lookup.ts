import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EvenkeelError } from '../../../core/errors.ts';
import { isLocalAddress } from './local-address.ts';

type Resolve = typeof systemLookup;

/**
 * A DNS lookup for new connections. It leaves out local addresses, and refuses a name that has no other address. The
 * connection goes to the addresses that were checked, so a name that later resolves to another address does no harm.
 */
export function guardedLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const open = addresses.filter(({ address }) => !isLocalAddress(address));
      const [first] = open;
      if (first === undefined) return callback(refusal(hostname, addresses[0]?.address), []);
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

function refusal(hostname: string, address: string | undefined): EvenkeelError {
  return new EvenkeelError(
    'ADDRESS_REFUSED',
    address === undefined
      ? `${hostname} resolves to no address`
      : `${hostname} resolves to ${address}, a loopback, link-local or metadata address, which a cloud deployment does not connect to`,
  );
}
