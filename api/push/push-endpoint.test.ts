import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createCertificate } from '#api/testing/external-services/certificate.ts';
import { isPublicAddress, isPushEndpoint, pinnedLookup } from './push-endpoint.ts';

describe('an address', () => {
  test.each(['142.250.74.106', '8.8.8.8', '2a00:1450:4001:82a::200a', '2606:4700::6810:84e5'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.8.8.8'],
    ['unspecified', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['cloud metadata', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['protocol assignments', '192.0.0.8'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '203.0.113.7'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['unique local', 'fd12:3456::1'],
    ['site-local', 'fec0::1'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['discarded', '100::1'],
    ['multicast', 'ff02::1'],
    ['not assigned', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('%s (%s) is not public', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('an endpoint', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
  ])('at a push service is allowed: %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, null)).toBe(true);
  });

  test.each([
    'http://fcm.googleapis.com/abc',
    'ftp://fcm.googleapis.com/abc',
    'file:///etc/passwd',
    'https://fcm.googleapis.com:8443/abc',
    'https://user:password@fcm.googleapis.com/abc',
    'https://localhost/abc',
    'https://postgres/abc',
    'https://127.0.0.1/abc',
    'https://0x7f.1/abc',
    'https://2130706433/abc',
    'https://[::1]/abc',
    'https://[::ffff:8.8.8.8]/abc',
    'https://8.8.8.8/abc',
    'not an address',
    '',
  ])('is not allowed: %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, null)).toBe(false);
  });

  test('is allowed at the configured test origin, whatever its address, but at no other', () => {
    expect(isPushEndpoint('http://127.0.0.1:4000/abc', 'http://127.0.0.1:4000')).toBe(true);
    expect(isPushEndpoint('http://127.0.0.1:4001/abc', 'http://127.0.0.1:4000')).toBe(false);
    expect(isPushEndpoint('http://me@127.0.0.1:4000/abc', 'http://127.0.0.1:4000')).toBe(false);
  });
});

test('a connection uses the verified IP address even if the name resolves to another address later', async () => {
  const server = createServer(createCertificate('127.0.0.1'), (_request, response) => response.end());
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lookups: string[] = [];
  const resolve = async (hostname: string) => {
    lookups.push(hostname);
    return [{ address: lookups.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  const isAllowed = (address: string) => address === '127.0.0.1';
  const url = new URL(`https://push.example.org:${port}/`);
  const { signal } = new AbortController();
  const lookup = await pinnedLookup(url, resolve, signal, isAllowed);
  if (lookup === null) throw new Error('The address is allowed here.');
  // TLS still verifies the certificate, which is self-signed and for another name.
  const [error] = await once(request(url, { lookup, agent: false }).end(), 'error');
  expect(error.code).toMatch(/CERT|ALTNAME/);
  expect([connections, lookups]).toEqual([1, ['push.example.org']]);
  expect(await pinnedLookup(url, resolve, signal, isAllowed)).toBeNull();
  server.close();
});
