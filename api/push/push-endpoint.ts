import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = { address: string; family: number };
export type Resolve = (hostname: string) => Promise<Address[]>;

/** The addresses of a name. */
export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet: no private, loopback, link-local or shared one, none for documentation, and
 * none that leads to an IPv4 address in another way.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(IPV6_UNICAST);
}

/**
 * Whether a subscription may name this endpoint: https with a name, at the usual port. Where the name leads is checked when a
 * message is sent. `testOrigin` is an origin that tests may use.
 */
export function isPushEndpoint(text: string, testOrigin: string | null): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return false;
  if (url.origin === testOrigin) return true;
  const isNamed = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 && url.hostname.includes('.');
  return url.protocol === 'https:' && url.port === '' && isNamed;
}

/**
 * The addresses of an endpoint as a lookup for its connection, which thus goes to an address that was checked. Null if one of
 * them is not public.
 */
export async function pinnedLookup(
  { hostname }: URL,
  resolve: Resolve,
  isAllowed: (address: string) => boolean = isPublicAddress,
): Promise<LookupFunction | null> {
  const addresses = await resolve(hostname);
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) return null;
  return (_hostname, options, callback) => {
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}
