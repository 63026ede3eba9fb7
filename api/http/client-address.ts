import { isIP, isIPv6 } from 'node:net';
import { createMiddleware } from 'hono/factory';
import { expandIPv6 } from 'hono/utils/ipaddr';
import type { AppContext, AppEnv } from './app-env.ts';

const NETWORK_GROUPS = 4;

/** Sets `c.var.client`. Of `X-Forwarded-For` only the entries written by the last `trustProxy` proxies count. */
export function clientAddress(trustProxy: number) {
  return createMiddleware<AppEnv>(async (c, next) => {
    c.set('client', toNetwork(findAddress(c, trustProxy)));
    await next();
  });
}

function findAddress(c: AppContext, trustProxy: number): string {
  const peer = c.env?.incoming?.socket.remoteAddress ?? '127.0.0.1';
  if (trustProxy === 0) return peer;
  const forwarded = (c.req.header('X-Forwarded-For') ?? '').split(',').map((part) => part.trim());
  const hops = [...forwarded.filter((part) => part !== ''), peer];
  const address = hops.at(-1 - trustProxy) ?? hops[0] ?? peer;
  return isIP(address) === 0 ? peer : address;
}

/** An IPv4 address unchanged; for an IPv6 address its /64 network, which belongs to one host. */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = expandIPv6(address.replace(/%.*$/, '')).split(':').slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
