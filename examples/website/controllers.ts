import { DnsStandIn } from './dns.ts';
import { website } from './website.ts';

// A real one would call the DNS provider here.
export const controllers = [website(new DnsStandIn())];
