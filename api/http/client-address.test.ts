import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { AppEnv } from './app-env.ts';
import { clientAddress, toNetwork } from './client-address.ts';

/** What the server takes for the client when the peer is 127.0.0.1. */
async function clientOf(trustProxy: number, forwardedFor?: string): Promise<string> {
  const app = new Hono<AppEnv>().use(clientAddress(trustProxy)).get('/', (c) => c.text(c.var.client));
  const headers: Record<string, string> =
    forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
  return (await app.request('/', { headers })).text();
}

test('without proxies the header is ignored', async () => {
  expect(await clientOf(0, '203.0.113.9')).toBe('127.0.0.1');
});

test('with one proxy the last address counts', async () => {
  expect(await clientOf(1, '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
});

test('with two proxies the last but one counts', async () => {
  expect(await clientOf(2, '1.1.1.1, 198.51.100.1, 203.0.113.9')).toBe('198.51.100.1');
});

test('without a valid header the peer’s address counts', async () => {
  expect(await clientOf(1)).toBe('127.0.0.1');
  expect(await clientOf(1, 'unknown')).toBe('127.0.0.1');
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
