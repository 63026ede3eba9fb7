import { isIP, isIPv4, isIPv6 } from 'node:net';
import { expandIPv6 } from 'hono/utils/ipaddr';
import { type Env, PROXY_WARNING } from '#api/env.ts';
import type { AppContext } from './app-env.ts';
import type { Step } from './before.ts';

const NETWORK_GROUPS = 4;
const NETWORK_SUFFIX = '::/64';

/**
 * Where a request comes from. Work with passwords and images is queued fairly by `client`, and leaves the queue when `signal`
 * aborts because the client has disconnected.
 */
export type Caller = {
  /** As in `AppEnv`. */
  client: string;
  signal?: AbortSignal | undefined;
  userAgent?: string | undefined;
};

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded'];

const ENTRY_WARNING =
  'The entry of a proxy in X-Forwarded-For is no IP address: its clients share the limits of one. Check TRUST_PROXY and the proxy';

/** An address as some proxies write it: with a port, or an IPv6 address in brackets. */
const WITH_PORT_OR_BRACKETS = /^(?:([\d.]+):\d+|\[(.+)\](?::\d+)?)$/;

/**
 * Sets `c.var.client`. In `X-Forwarded-For`, only the entries written by the last `trustProxy` proxies count. If `trustProxy` is
 * 0, a warning is logged about the first request that comes through a proxy; otherwise about the first entry that is no address.
 */
export function clientAddress({ trustProxy, isHttps }: Pick<Env, 'trustProxy' | 'isHttps'>): Step {
  // On https that warning is logged at startup.
  let isWarned = trustProxy === 0 && isHttps;
  const warnOnce = (c: AppContext, warning: string) => {
    if (!isWarned) c.get('log').warn(warning);
    isWarned = true;
  };
  return (c) => {
    const peer = c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1';
    const headers = c.env?.incoming?.headers ?? c.req.header();
    if (trustProxy === 0 && FORWARDING_HEADERS.some((name) => name in headers)) warnOnce(c, PROXY_WARNING);
    const address = trustProxy === 0 ? peer : forwardedAddress(c, trustProxy, peer);
    if (address === null) warnOnce(c, ENTRY_WARNING);
    c.set('client', toNetwork(address ?? peer));
  };
}

/** The address that the outermost trusted proxy has written. Null if it is none. */
function forwardedAddress(c: AppContext, trustProxy: number, peer: string): string | null {
  const forwarded = (c.req.header('X-Forwarded-For') ?? '').split(',').map((part) => part.trim());
  const hops = [...forwarded.filter((part) => part !== ''), peer];
  // The first one if the request has come through fewer proxies.
  const entry = hops.at(-1 - trustProxy) ?? hops[0] ?? peer;
  const [, ipv4, ipv6] = WITH_PORT_OR_BRACKETS.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  return isIP(address) === 0 ? null : address;
}

/** For an IPv6 address its /64 network, all of which one host can use. An IPv4 address is returned without `::ffff:`. */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = expandIPv6(address.replace(/%.*$/, '')).split(':').slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}${NETWORK_SUFFIX}`;
}

/**
 * The networks that a client (see `AppEnv`) is counted in, the narrowest first. The holder of an IPv6 /56 or /48 can use any /64
 * in it.
 */
export function networksOf(client: string): readonly string[] {
  if (!client.endsWith(NETWORK_SUFFIX)) return [client];
  const groups = client.slice(0, -NETWORK_SUFFIX.length).split(':');
  const site = groups.slice(0, 3).join(':');
  const subnet = Number.parseInt(groups[3] ?? '0', 16);
  return [client, `${site}:${(subnet & 0xff00).toString(16)}::/56`, `${site}::/48`];
}

/** The part of a client's address that may be logged: the /24 of an IPv4 address, the /48 of an IPv6 network. */
export function loggedNetwork(client: string): string {
  if (isIPv4(client)) return `${client.slice(0, client.lastIndexOf('.'))}.0/24`;
  return networksOf(client).at(-1) ?? client;
}

/**
 * The beginning of a client's address, by which its user may recognise a session: the first two parts of an IPv4 address or of an
 * IPv6 network.
 */
export function shortNetwork(client: string): string {
  return isIPv4(client) ? client.split('.', 2).join('.') : client.split(':', 2).join(':');
}

export function callerOf(c: AppContext): Caller {
  return { client: c.var.client, signal: c.req.raw.signal, userAgent: c.req.header('User-Agent') };
}
