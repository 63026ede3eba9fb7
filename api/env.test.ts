import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { EnvError, readEnv } from './env.ts';

function problem(source: Record<string, string>): string {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.message;
    throw error;
  }
  return 'none';
}

test('without any variable everything has its documented default', () => {
  expect(readEnv({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://localhost:3000',
    origins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
    isHttps: false,
    databaseUrl: null,
    dataDir: resolve('data'),
    mail: { smtpUrl: null, from: { name: 'This or That?', address: 'no-reply@localhost' } },
    owner: { username: 'owner', email: 'owner@thisorthat.example', password: null },
    trustProxy: 0,
    rateLimits: true,
    analyticsUrl: null,
    logLevel: 'info',
  });
});

test('an empty variable counts as unset', () => {
  expect(readEnv({ PORT: '', OWNER_PASSWORD: '' })).toMatchObject({ port: 3000, owner: { password: null } });
});

test('a public address is the only origin, without its slash', () => {
  expect(readEnv({ PUBLIC_URL: 'https://polls.example.org/' })).toMatchObject({
    publicUrl: 'https://polls.example.org',
    origins: ['https://polls.example.org'],
    isHttps: true,
  });
});

test('all wrong variables are named in one line', () => {
  const message = problem({
    PORT: '70000',
    PUBLIC_URL: 'polls.example.org/app',
    DATABASE_URL: 'mysql://localhost/x',
    TRUST_PROXY: 'yes',
    OWNER_PASSWORD: 'short',
    LOG_LEVEL: 'loud',
  });
  expect(message).not.toContain('\n');
  for (const name of ['PORT', 'PUBLIC_URL', 'DATABASE_URL', 'TRUST_PROXY', 'OWNER_PASSWORD', 'LOG_LEVEL']) {
    expect(message).toContain(`${name}:`);
  }
});

test('the message contains no values, which may be secret', () => {
  expect(problem({ OWNER_PASSWORD: 'hunter2', DATABASE_URL: 'x://me:hunter2@host' })).not.toContain(
    'hunter2',
  );
});

test.each([
  ['http://polls.example.org/app'],
  ['http://me:secret@polls.example.org'],
  ['http://polls.example.org?x=1'],
  ['ftp://polls.example.org'],
])('PUBLIC_URL cannot be %s', (PUBLIC_URL) => {
  expect(problem({ PUBLIC_URL })).toContain('PUBLIC_URL: must be an origin');
});

test.each([
  ['http://plausible.example.org/api/event'],
  ['https://me:secret@plausible.example.org/api/event'],
  ["https://plausible.example.org/; script-src 'unsafe-inline'"],
])('ANALYTICS_URL cannot be %s', (ANALYTICS_URL) => {
  expect(problem({ ANALYTICS_URL })).toContain('ANALYTICS_URL: must be the https address');
});

test('rate limits cannot be turned off on an https site', () => {
  expect(problem({ RATE_LIMITS: 'off', PUBLIC_URL: 'https://polls.example.org' })).toContain('RATE_LIMITS:');
  expect(readEnv({ RATE_LIMITS: 'off' }).rateLimits).toBe(false);
});

test('a password that the driver could not decode is refused with an explanation', () => {
  const message = problem({ DATABASE_URL: 'postgres://me:50%zz@localhost/polls' });
  expect(message).toContain('DATABASE_URL: must have every % in its user, password and name written as %25');
  expect(message).not.toContain('zz');
  expect(problem({ DATABASE_URL: 'postgres://me:50%25zz@localhost/polls' })).toBe('none');
});

test('mails are sent with SMTP, from a name and an address', () => {
  const SMTP_URL = 'smtps://me:p%40ss@smtp.example.org:465';
  const read = (MAIL_FROM: string) => readEnv({ SMTP_URL, MAIL_FROM }).mail;
  expect(read('Polls <hello@polls.example.org>')).toEqual({
    smtpUrl: SMTP_URL,
    from: { name: 'Polls', address: 'hello@polls.example.org' },
  });
  expect(read('hello@polls.example.org').from).toEqual({
    name: 'This or That?',
    address: 'hello@polls.example.org',
  });
  expect(read('This or That? <hello@polls.example.org>').from.name).toBe('This or That?');
});

test.each([
  ['SMTP_URL', { SMTP_URL: 'smtp.example.org:587', MAIL_FROM: 'a@example.org' }],
  ['SMTP_URL', { SMTP_URL: 'http://smtp.example.org', MAIL_FROM: 'a@example.org' }],
  ['SMTP_URL', { SMTP_URL: 'smtp://me:50%zz@smtp.example.org', MAIL_FROM: 'a@example.org' }],
  ['SMTP_URL', { SMTP_URL: 'smtp://smtp.example.org?pool=true', MAIL_FROM: 'a@example.org' }],
  ['MAIL_FROM', { SMTP_URL: 'smtp://smtp.example.org' }],
  ['MAIL_FROM', { MAIL_FROM: 'This or That?' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.org, b@example.org' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.org\r\nBcc: b@example.org' }],
])('%s is named when mails could not be sent: %o', (name, source) => {
  expect(problem(source)).toMatch(new RegExp(`^Wrong configuration: ${name}: must [^;]*$`));
  expect(problem(source)).not.toContain('zz');
});
