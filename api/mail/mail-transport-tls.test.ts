import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { createCertificate } from '#api/testing/external-services/certificate.ts';
import { createMailer } from './mail-transport.ts';

/** Reaches this machine, but is not a loopback address. */
const OTHER_MACHINE = '0.0.0.0';
const USER = 'me@example.org';
const PASSWORD = 'pa%ss word';
const certificate = createCertificate(OTHER_MACHINE);
const servers: SMTPServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((done) => server.close(() => done()));
});

type Received = { source: string; secure: boolean; user: unknown };

/** Starts a mail server on this machine; returns its port and the list of mails that it receives. */
async function startServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    closeTimeout: 100,
    onAuth({ username, password }, _session, callback) {
      if (username === USER && password === PASSWORD) callback(null, { user: username });
      else callback(new Error('Invalid login'));
    },
    async onData(stream, { secure, user }, callback) {
      received.push({ source: await text(stream), secure, user });
      callback(null);
    },
    ...options,
  });
  // A client that refuses the certificate breaks off the connection, which is an error of the server too.
  server.on('error', () => {});
  server.listen(0, '0.0.0.0');
  await once(server.server, 'listening');
  servers.push(server);
  return { port: (server.server.address() as AddressInfo).port, received };
}

/** The query of a URL whose connections trust the certificate of the server. */
const TRUST_CERTIFICATE = `tls.ca=${encodeURIComponent(certificate.cert)}`;
const login = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`;

function send(smtpUrl: string): Promise<void> {
  const from = { name: 'Polls', address: 'polls@example.org' };
  const env = { publicUrl: 'https://polls.example.org', dataDir: '/nowhere', mail: { smtpUrl, from } };
  const mail = { id: 1, purpose: 'reset', messageKey: 'key', createdAt: '2026-01-01 00:00:00+00' };
  const letter = { purpose: 'reset', email: 'mara@example.org', token: 'T0ken' };
  const mailer = createMailer(env, pino({ level: 'silent' }));
  return mailer.send(mail as never, letter as never, AbortSignal.timeout(10_000));
}

test('a mail to another machine is sent with STARTTLS and a login', async () => {
  const { port, received } = await startServer({ authOptional: false });
  await send(`smtp://${login}@${OTHER_MACHINE}:${port}?${TRUST_CERTIFICATE}`);
  expect(received).toEqual([
    { source: expect.stringContaining('mara@example.org'), secure: true, user: USER },
  ]);
});

test('a mail to another machine is sent with implicit TLS and a login', async () => {
  const { port, received } = await startServer({ authOptional: false, secure: true });
  await send(`smtps://${login}@${OTHER_MACHINE}:${port}?${TRUST_CERTIFICATE}`);
  expect(received).toMatchObject([{ secure: true, user: USER }]);
});

test('no mail is sent if the mail server rejects the password, and the error says so', async () => {
  const { port, received } = await startServer({ authOptional: false });
  const sending = send(
    `smtp://${encodeURIComponent(USER)}:wrong@${OTHER_MACHINE}:${port}?${TRUST_CERTIFICATE}`,
  );
  await expect(sending).rejects.toMatchObject({ message: expect.stringContaining('EAUTH'), isFinal: false });
  expect(received).toEqual([]);
});

test.each([
  '',
  'requireTLS=false',
  'ignoreTLS=true',
  'opportunisticTLS=true',
  'requireTLS=false&requireTLS=0',
])('no mail is sent to another machine without TLS (options in the URL: “%s”)', async (options) => {
  const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
  const sending = send(`smtp://${login}@${OTHER_MACHINE}:${port}?${options}`);
  await expect(sending).rejects.toMatchObject({ isFinal: false, isUndelivered: true });
  expect(received).toEqual([]);
});

test('no mail is sent to another machine without a trusted certificate', async () => {
  for (const [scheme, secure] of [
    ['smtp', false],
    ['smtps', true],
  ] as const) {
    const { port, received } = await startServer({ secure });
    await expect(send(`${scheme}://${OTHER_MACHINE}:${port}`)).rejects.toMatchObject({ isFinal: false });
    expect(received).toEqual([]);
  }
});

test('a mail server on this machine needs no TLS', async () => {
  const { port, received } = await startServer({ disabledCommands: ['STARTTLS'] });
  await send(`smtp://127.0.0.1:${port}`);
  expect(received).toMatchObject([{ secure: false }]);
});
