import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** After this time without a response, the next name server is asked. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

type Address = { address: string; family: number };
/** Resolves a host name to all its IP addresses, until the signal aborts. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<Address[]>;

/**
 * Creates a `Resolve` that asks `servers`, by default the name servers of this machine. Unlike `lookup`, it occupies none of the
 * process's four threads, which also read files and look up all other names, and which anybody could otherwise block with
 * endpoints whose names get no answer. Throws if no address is found.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (hostname, signal) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    signal.removeEventListener('abort', cancel);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6]
      .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
      .map((address) => ({ address, family: isIP(address) }));
  };
}

const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to the public internet. Excludes private, loopback, link-local, shared and documentation
 * addresses, and IPv6 addresses that embed an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(IPV6_UNICAST);
}

/**
 * Whether a subscription may have this endpoint: an https URL with a host name and the default port. The addresses of the name
 * are checked when a message is sent. `testOrigin`: an origin that is allowed for tests, or null.
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
 * Resolves an endpoint once and returns a `lookup` with the result, so that the connection goes to an address that was checked
 * (no DNS rebinding). Null if it has no address, or one that is not allowed; by default, only public addresses are.
 */
export async function pinnedLookup(
  { hostname }: URL,
  resolve: Resolve,
  signal: AbortSignal,
  isAllowed: (address: string) => boolean = isPublicAddress,
): Promise<LookupFunction | null> {
  const addresses = await resolve(hostname, signal);
  const [first] = addresses;
  if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) return null;
  return (_hostname, options, callback) => {
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}
