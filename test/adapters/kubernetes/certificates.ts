import {
  certificateAuthority as authorityOf,
  type Issuer,
} from '../../../lib/adapters/loopback/certificate-authority.ts';

/** A certificate authority for this test run only, valid from 2020 to 2049. */
export function certificateAuthority(commonName = 'Test CA'): Issuer {
  return authorityOf(commonName, { fromMs: Date.UTC(2020, 0, 1), untilMs: Date.UTC(2049, 11, 31) });
}
