import { isIP, isIPv6, SocketAddress } from 'node:net';
import { createMiddleware } from 'hono/factory';
import type { AppContext, AppEnv } from './app-env.ts';

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Sets `c.var.client`, by `X-Forwarded-For` only as far as `trustProxy` proxies wrote it. */
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

/** An IPv4 address as it is; of an IPv6 address the network of 64 bits, since one host has all of that. */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = new SocketAddress({ address: address.replace(/%.*$/, ''), family: 'ipv6' }).address;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: IPV6_GROUPS - first.length - last.length }, () => '0');
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
