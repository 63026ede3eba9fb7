import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import type { AppEnv } from './app-env.ts';
import { before } from './before.ts';
import { clientAddress, loggedNetwork, networksOf, toNetwork } from './client-address.ts';

/** An app that responds with its client. It logs with `warn`. */
function appOf(env: { trustProxy: number; isHttps: boolean }, warn = vi.fn()) {
  return new Hono<AppEnv>()
    .use(async (c, next) => {
      c.set('log', { warn } as unknown as AppEnv['Variables']['log']);
      await next();
    })
    .use(before(clientAddress(env)))
    .get('/', (c) => c.text(c.var.client));
}

/** The client that the server determines when the peer is 127.0.0.1. */
async function clientOf(trustProxy: number, forwardedFor?: string): Promise<string> {
  const app = appOf({ trustProxy, isHttps: true });
  const headers: Record<string, string> =
    forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
  return (await app.request('/', { headers })).text();
}

test('without proxies X-Forwarded-For is ignored', async () => {
  expect(await clientOf(0, '203.0.113.9')).toBe('127.0.0.1');
});

test('with one proxy the last address is used', async () => {
  expect(await clientOf(1, '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
});

test('with two proxies the second to last address is used', async () => {
  expect(await clientOf(2, '1.1.1.1, 198.51.100.1, 203.0.113.9')).toBe('198.51.100.1');
});

test('without a valid header the peer’s address is used', async () => {
  expect(await clientOf(1)).toBe('127.0.0.1');
  expect(await clientOf(1, 'unknown')).toBe('127.0.0.1');
});

test.each([
  ['203.0.113.9:51234', '203.0.113.9'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
])('a proxy may write the address as %s', async (entry, client) => {
  expect(await clientOf(1, `198.51.100.1, ${entry}`)).toBe(client);
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('limits count the address %s as %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

test.each([
  ['203.0.113.9', ['203.0.113.9']],
  ['2001:db8:1:2ab::/64', ['2001:db8:1:2ab::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']],
  ['0:0:0:0::/64', ['0:0:0:0::/64', '0:0:0:0::/56', '0:0:0::/48']],
])('limits count the client %s in the networks %s', (client, networks) => {
  expect(networksOf(client)).toEqual(networks);
});

test.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2ab::/64', '2001:db8:1::/48'],
])('the network of %s in a log is %s', (client, prefix) => {
  expect(loggedNetwork(client)).toBe(prefix);
});

/** The warnings about three equal requests. */
async function warningsOf(env: { trustProxy: number; isHttps: boolean }, headers: Record<string, string>) {
  const warn = vi.fn();
  const app = appOf(env, warn);
  for (let count = 0; count < 3; count += 1) await app.request('/', { headers });
  return warn.mock.calls;
}

test('warns once when requests come through an unconfigured proxy', async () => {
  const direct = { trustProxy: 0, isHttps: false };
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Forwarded-Proto', 'X-Real-IP']) {
    expect(await warningsOf(direct, { [name]: 'x' })).toEqual([
      [expect.stringContaining('TRUST_PROXY is 0')],
    ]);
  }
  expect(await warningsOf(direct, {})).toEqual([]);
  expect(await warningsOf({ trustProxy: 1, isHttps: false }, { 'X-Forwarded-For': '203.0.113.9' })).toEqual(
    [],
  );
  // On https the warning is logged at startup.
  expect(await warningsOf({ trustProxy: 0, isHttps: true }, { 'X-Forwarded-For': '203.0.113.9' })).toEqual(
    [],
  );
});

test('warns once when a trusted proxy writes no address', async () => {
  const proxied = { trustProxy: 1, isHttps: true };
  expect(await warningsOf(proxied, { 'X-Forwarded-For': '203.0.113.9, unknown' })).toEqual([
    [expect.stringContaining('no IP address')],
  ]);
  expect(await warningsOf(proxied, { 'X-Forwarded-For': 'unknown, 203.0.113.9:51234' })).toEqual([]);
  expect(await warningsOf(proxied, {})).toEqual([]);
});
