import { createPublicKey, verify } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBrowser, startPushService } from '#api/testing/external-services/push-service.ts';
import { createResolve, type Resolve } from './push-endpoint.ts';
import { createPushSender, type PushError, type PushTarget } from './push-transport.ts';
import { newVapidKey, toVapidKeys } from './vapid.ts';

const service = await startPushService();
afterAll(() => service.close());
const keys = toVapidKeys(newVapidKey());
const subject = 'mailto:hello@polls.example.org';
const sender = createPushSender({ keys, subject, testOrigin: service.origin });
const neverAborted = new AbortController().signal;

beforeEach(() => {
  service.requests.length = 0;
  service.responders.clear();
});

const targetOf = ({
  endpoint,
  keys: { p256dh, auth },
}: ReturnType<typeof createBrowser>['subscription']) => ({
  endpoint,
  p256dh,
  auth,
});
const send = (target: PushTarget, pushSender = sender) =>
  pushSender.send(target, '{"title":"Hi"}', 'n1', neverAborted);
const failureOf = (sending: Promise<void>): Promise<PushError> =>
  sending.then(
    () => Promise.reject(new Error('It was sent')),
    (error: PushError) => error,
  );

test('a message is encrypted for its browser and signed for its push service', async () => {
  const browser = service.browser();
  await send(targetOf(browser.subscription));
  expect(browser.received()).toEqual([{ message: { title: 'Hi' }, topic: 'n1' }]);
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = service.requests;
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal' });
  expect(body.includes('Hi')).toBe(false);

  const [, token = '', key] = /^vapid t=(\S+), k=(\S+)$/.exec(headers.authorization ?? '') ?? [];
  expect(key).toBe(keys.publicKey);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(keys.publicKey, 'base64url');
  // An uncompressed point: one byte for its format, then both coordinates.
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' },
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned).toBe(true);
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  expect([aud, sub]).toEqual([service.origin, subject]);
  expect(exp - Date.now() / 1_000).toBeLessThan(86_400);
});

test.each([
  [404, 'unsubscribed'],
  [410, 'unsubscribed'],
  [400, 'permanent'],
  [403, 'permanent'],
  [413, 'permanent'],
  [302, 'permanent'],
  [307, 'permanent'],
  [429, 'temporary'],
  [500, 'temporary'],
  [503, 'temporary'],
])('status %i causes an error of the kind “%s”', async (status, kind) => {
  const { subscription } = service.browser();
  const otherBrowser = service.browser();
  service.responders.set(new URL(subscription.endpoint).pathname, (response) =>
    response.writeHead(status, { 'Retry-After': '90', Location: otherBrowser.subscription.endpoint }).end(),
  );
  const error = await failureOf(send(targetOf(subscription)));
  expect(error).toMatchObject({ kind, retryAfterS: kind === 'temporary' ? 90 : 0 });
  expect(error.message).not.toContain(subscription.endpoint);
  // The redirect was not followed.
  expect(service.requests).toHaveLength(1);
});

test('an endless response is not read, and a response that never comes fails when the attempt is aborted', async () => {
  const [endless, silent] = [service.browser(), service.browser()];
  let sentBytes = 0;
  const closed = Promise.withResolvers<void>();
  service.responders.set(new URL(endless.subscription.endpoint).pathname, (response) => {
    response.writeHead(201);
    response.on('close', closed.resolve);
    const writeMore = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sentBytes += 65_536;
    };
    response.on('drain', writeMore);
    writeMore();
  });
  service.responders.set(new URL(silent.subscription.endpoint).pathname, () => {});
  await send(targetOf(endless.subscription));
  await closed.promise;
  // The buffers of the sockets may take some megabytes.
  expect(sentBytes).toBeLessThan(16_777_216);
  const stopSignal = AbortSignal.timeout(200);
  const error = await failureOf(sender.send(targetOf(silent.subscription), 'x', 'n1', stopSignal));
  expect(error.kind).toBe('temporary');
});

test('an attempt that is not aborted fails with a timeout', async () => {
  const { subscription } = service.browser();
  service.responders.set(new URL(subscription.endpoint).pathname, () => {});
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.timeout(200));
  expect(await failureOf(send(targetOf(subscription)))).toMatchObject({ kind: 'timeout' });
  timeout.mockRestore();
});

test('names that get no answer fail with a timeout, and do not delay the resolution of other names', async () => {
  const nameServer = createSocket('udp4').bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  const resolve = createResolve([`127.0.0.1:${nameServer.address().port}`]);
  const senderWithNameServer = createPushSender({ keys, subject, testOrigin: null, resolve });
  const failures = Array.from({ length: 10 }, (_, index) => {
    const { subscription } = createBrowser(`https://push${index}.example.org`);
    return failureOf(send(targetOf(subscription), senderWithNameServer));
  });
  await once(nameServer, 'message');
  const startMs = performance.now();
  await lookup('localhost');
  expect(performance.now() - startMs).toBeLessThan(1_000);
  const kinds = (await Promise.all(failures)).map(({ kind }) => kind);
  expect(kinds).toEqual(Array.from({ length: 10 }, () => 'timeout'));
  nameServer.close();
}, 15_000);

test('a response that switches protocols causes a temporary error', async () => {
  const { subscription } = service.browser();
  service.responders.set(new URL(subscription.endpoint).pathname, ({ socket }) =>
    socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n'),
  );
  expect(await failureOf(send(targetOf(subscription)))).toMatchObject({ kind: 'temporary' });
});

describe('an endpoint cannot reach the server’s own network', () => {
  const { subscription } = createBrowser('https://push.example.org');
  const createGuardedSender = (resolve: Resolve) =>
    createPushSender({ keys, subject, testOrigin: null, resolve });

  test.each([
    ['127.0.0.1', 4],
    ['10.0.0.5', 4],
    ['169.254.169.254', 4],
    ['::1', 6],
    ['fd00::1', 6],
    ['::ffff:127.0.0.1', 6],
    ['64:ff9b::a00:1', 6],
  ])('by a name that resolves to %s, even in addition to a public address', async (address, family) => {
    const addresses = [
      { address: '142.250.74.106', family: 4 },
      { address, family },
    ];
    for (const resolved of [addresses.slice(1), addresses]) {
      const guardedSender = createGuardedSender(async () => resolved);
      const error = await failureOf(send(targetOf(subscription), guardedSender));
      expect(error).toMatchObject({ kind: 'permanent', message: 'The endpoint has no public address' });
    }
  });

  test.each([
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'http://push.example.org/x',
    'https://push.example.org:5432/x',
  ])('even if an endpoint that is not allowed was stored: %s', async (endpoint) => {
    const resolve = async () => [{ address: '142.250.74.106', family: 4 }];
    const error = await failureOf(
      send({ ...targetOf(subscription), endpoint }, createGuardedSender(resolve)),
    );
    expect(error).toMatchObject({ kind: 'permanent', message: 'This endpoint is not allowed' });
  });

  test('by a name that has no address, or none before the attempt is aborted', async () => {
    const senderWithoutAddress = createGuardedSender(async () => []);
    const noAddressError = await failureOf(send(targetOf(subscription), senderWithoutAddress));
    expect(noAddressError.kind).toBe('permanent');
    const slowSender = createGuardedSender(() => new Promise(() => {}));
    const stopSignal = AbortSignal.timeout(50);
    const error = await failureOf(slowSender.send(targetOf(subscription), 'x', 'n1', stopSignal));
    expect(error.kind).toBe('temporary');
  });
});
