import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { newVapidKey, toVapidKeys } from '#api/push/vapid.ts';
import { configurationWarnings } from './configuration-warnings.ts';
import { EnvError, readEnv } from './env.ts';

function problemOf(source: Record<string, string>): string {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.message;
    throw error;
  }
  return 'none';
}

test('without any variable all settings have their documented defaults', () => {
  expect(readEnv({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://localhost:3000',
    origins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
    isHttps: false,
    relyingParty: { id: 'localhost', origin: 'http://localhost:3000' },
    isAdminPasskeyRequired: false,
    databaseUrl: null,
    databaseDirectUrl: null,
    databaseReplicaUrl: null,
    driverDefaults: { host: '', sslMode: '' },
    dataDir: resolve('data'),
    s3: null,
    imageStorage: 'folder',
    mail: { smtpUrl: null, from: { name: 'This or That?', address: 'no-reply@localhost' } },
    push: { keys: null, subject: 'mailto:no-reply@localhost', testOrigin: null },
    owner: { username: 'owner', email: 'owner@thisorthat.example', password: null },
    trustProxy: 0,
    connectionsMax: 10_000,
    arePollsIndexable: false,
    rateLimits: true,
    analyticsUrl: null,
    tracing: null,
    metricsToken: null,
    logLevel: 'info',
  });
});

test('the default origins have no port 80, as in the requests of browsers', () => {
  expect(readEnv({ PORT: '80' })).toMatchObject({
    publicUrl: 'http://localhost',
    origins: ['http://localhost', 'http://127.0.0.1'],
    relyingParty: { id: 'localhost', origin: 'http://localhost' },
  });
});

test('DATABASE_DIRECT_URL and DATABASE_REPLICA_URL require DATABASE_URL', () => {
  const DATABASE_URL = 'postgres://pooler/tot';
  expect(readEnv({ DATABASE_URL })).toMatchObject({
    databaseDirectUrl: DATABASE_URL,
    databaseReplicaUrl: null,
  });
  const DATABASE_DIRECT_URL = 'postgres://primary/tot';
  const DATABASE_REPLICA_URL = 'postgres://replica/tot';
  const env = readEnv({ DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URL });
  expect(env).toMatchObject({
    databaseDirectUrl: DATABASE_DIRECT_URL,
    databaseReplicaUrl: DATABASE_REPLICA_URL,
  });
  expect(configurationWarnings(env).filter((text) => text.includes('without requiring TLS'))).toHaveLength(3);
  for (const variable of [{ DATABASE_DIRECT_URL }, { DATABASE_REPLICA_URL }]) {
    const [name] = Object.keys(variable);
    expect(problemOf(variable)).toContain(`${name}: can be set only when DATABASE_URL is`);
  }
});

test('PUBLIC_POLLS can be noindex or indexable', () => {
  expect(readEnv({ PUBLIC_POLLS: 'noindex' }).arePollsIndexable).toBe(false);
  expect(readEnv({ PUBLIC_POLLS: 'indexable' }).arePollsIndexable).toBe(true);
  expect(problemOf({ PUBLIC_POLLS: 'yes' })).toContain('PUBLIC_POLLS: must be noindex or indexable');
});

test('traces are configured only with a collector, and with one of OpenTelemetry’s samplers', () => {
  expect(readEnv({ OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeNull();
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';
  const endpoint = OTEL_EXPORTER_OTLP_ENDPOINT;
  const defaults = { endpoint, sampler: 'parentbased_always_on', ratio: 1 };
  expect(readEnv({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual(defaults);
  const samplerVariables = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
  expect(readEnv({ OTEL_EXPORTER_OTLP_ENDPOINT, ...samplerVariables }).tracing).toEqual({
    endpoint,
    sampler: 'traceidratio',
    ratio: 0.05,
  });
  expect(problemOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' })).toContain('address of a collector');
  expect(problemOf({ OTEL_EXPORTER_OTLP_HEADERS: 'secret' })).toContain('name=value');
  expect(problemOf({ OTEL_TRACES_SAMPLER: 'some' })).toContain(
    'OTEL_TRACES_SAMPLER: must be one of always_on',
  );
  expect(problemOf({ OTEL_TRACES_SAMPLER_ARG: '5' })).toContain('OTEL_TRACES_SAMPLER_ARG: must be a number');
});

test('the keys for push services must be set as a pair or not at all', () => {
  const [keys, otherKeys] = [toVapidKeys(newVapidKey()), toVapidKeys(newVapidKey())];
  const pair = { VAPID_PUBLIC_KEY: keys.publicKey, VAPID_PRIVATE_KEY: keys.privateKey };
  expect(readEnv(pair).push.keys).toEqual(keys);
  const mismatches = [
    { VAPID_PUBLIC_KEY: keys.publicKey },
    { VAPID_PRIVATE_KEY: keys.privateKey },
    { ...pair, VAPID_PUBLIC_KEY: otherKeys.publicKey },
    { ...pair, VAPID_PRIVATE_KEY: 'A'.repeat(43) },
  ];
  for (const mismatch of mismatches) expect(problemOf(mismatch)).toContain('must be the public key of');
  expect(problemOf({ ...pair, VAPID_PRIVATE_KEY: 'short' })).toContain('VAPID_PRIVATE_KEY: must be 43');
});

test('the contact for push services is PUBLIC_URL by default', () => {
  const PUBLIC_URL = 'https://polls.example.org';
  expect(readEnv({ PUBLIC_URL }).push.subject).toBe(PUBLIC_URL);
  const VAPID_SUBJECT = 'mailto:hello@polls.example.org';
  expect(readEnv({ PUBLIC_URL, VAPID_SUBJECT }).push.subject).toBe(VAPID_SUBJECT);
  expect(problemOf({ VAPID_SUBJECT: 'me' })).toContain('VAPID_SUBJECT: must be');
});

test('PUSH_TEST_ORIGIN is invalid on a public site', () => {
  const PUSH_TEST_ORIGIN = 'http://127.0.0.1:4000';
  expect(readEnv({ PUSH_TEST_ORIGIN }).push.testOrigin).toBe(PUSH_TEST_ORIGIN);
  expect(problemOf({ PUSH_TEST_ORIGIN, PUBLIC_URL: 'https://polls.example.org' })).toContain('is for tests');
});

test('the S3 variables must be set together, and new images go to the bucket unless configured otherwise', () => {
  const bucket = {
    S3_ENDPOINT: 'https://s3.example.org/',
    S3_BUCKET: 'polls',
    S3_REGION: 'auto',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'hunter2',
  };
  expect(readEnv(bucket)).toMatchObject({
    s3: {
      endpoint: 'https://s3.example.org',
      bucket: 'polls',
      region: 'auto',
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
    },
    imageStorage: 's3',
  });
  expect(readEnv({ ...bucket, IMAGE_STORAGE: 'folder' }).imageStorage).toBe('folder');
  for (const name of Object.keys(bucket)) {
    const message = problemOf({ ...bucket, [name]: '' });
    expect(message).toContain(`${name}: must be set when other variables S3_`);
    expect(message).not.toMatch(/hunter2|\n/);
  }
  expect(problemOf({ IMAGE_STORAGE: 's3' })).toContain('IMAGE_STORAGE: can be s3 only when');
  expect(problemOf({ ...bucket, S3_ENDPOINT: 'https://s3.example.org/polls' })).toContain(
    'without the bucket',
  );
  expect(configurationWarnings(readEnv({ ...bucket, S3_ENDPOINT: 'http://s3.example.org' }))).toEqual([
    expect.stringContaining('S3_ENDPOINT'),
  ]);
});

test('an empty variable counts as unset', () => {
  expect(readEnv({ PORT: '', OWNER_PASSWORD: '' })).toMatchObject({ port: 3000, owner: { password: null } });
});

test('the only allowed origin is PUBLIC_URL without its trailing slash', () => {
  expect(readEnv({ PUBLIC_URL: 'https://polls.example.org/' })).toMatchObject({
    publicUrl: 'https://polls.example.org',
    origins: ['https://polls.example.org'],
    isHttps: true,
  });
});

test('the error names all invalid variables in one line', () => {
  const message = problemOf({
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

test('the error does not contain the values of variables, which may be secret', () => {
  expect(problemOf({ OWNER_PASSWORD: 'hunter2', DATABASE_URL: 'x://me:hunter2@host' })).not.toContain(
    'hunter2',
  );
});

test.each([
  ['http://polls.example.org/app'],
  ['http://me:secret@polls.example.org'],
  ['http://polls.example.org?x=1'],
  ['ftp://polls.example.org'],
])('PUBLIC_URL must not be %s', (PUBLIC_URL) => {
  expect(problemOf({ PUBLIC_URL })).toContain('PUBLIC_URL: must be an origin');
});

test.each([
  ['http://plausible.example.org/api/event'],
  ['https://me:secret@plausible.example.org/api/event'],
  ["https://plausible.example.org/; script-src 'unsafe-inline'"],
])('ANALYTICS_URL must not be %s', (ANALYTICS_URL) => {
  expect(problemOf({ ANALYTICS_URL })).toContain('ANALYTICS_URL: must be the https address');
});

test('rate limits cannot be turned off on an https site', () => {
  expect(problemOf({ RATE_LIMITS: 'off', PUBLIC_URL: 'https://polls.example.org' })).toContain(
    'RATE_LIMITS:',
  );
  expect(readEnv({ RATE_LIMITS: 'off' }).rateLimits).toBe(false);
});

test('passkeys of administrators can be required only where browsers support passkeys', () => {
  const required = { ADMIN_PASSKEY: 'required' };
  expect(readEnv(required).isAdminPasskeyRequired).toBe(true);
  expect(readEnv({}).isAdminPasskeyRequired).toBe(false);
  expect(problemOf({ ADMIN_PASSKEY: 'yes' })).toContain('ADMIN_PASSKEY: must be optional or required');
  for (const PUBLIC_URL of ['https://polls.example.org', 'http://localhost:3000']) {
    expect(problemOf({ ...required, PUBLIC_URL })).toBe('none');
  }
  for (const PUBLIC_URL of ['http://polls.example.org', 'https://192.0.2.7', 'https://[2001:db8::1]']) {
    expect(problemOf({ ...required, PUBLIC_URL })).toContain('ADMIN_PASSKEY: can be required only');
  }
});

test('passkeys are bound to the host in the public address', () => {
  expect(readEnv({ PUBLIC_URL: 'https://polls.example.org' }).relyingParty).toEqual({
    id: 'polls.example.org',
    origin: 'https://polls.example.org',
  });
  expect(readEnv({ PORT: '4000' }).relyingParty).toEqual({
    id: 'localhost',
    origin: 'http://localhost:4000',
  });
});

test('a DATABASE_URL that the driver cannot decode is invalid, and the error says how to encode it', () => {
  const message = problemOf({ DATABASE_URL: 'postgres://me:50%zz@localhost/polls' });
  expect(message).toContain('DATABASE_URL: must have every % in its user, password and name written as %25');
  expect(message).not.toContain('zz');
  expect(problemOf({ DATABASE_URL: 'postgres://me:50%25zz@localhost/polls' })).toBe('none');
});

test('MAIL_FROM has an address, or a name and an address', () => {
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
  ['SMTP_URL', { SMTP_URL: 'smtps://smtp.example.org?service=Outlook365', MAIL_FROM: 'a@example.org' }],
  ['MAIL_FROM', { SMTP_URL: 'smtp://smtp.example.org' }],
  ['MAIL_FROM', { MAIL_FROM: 'This or That?' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.org, b@example.org' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.org\r\nBcc: b@example.org' }],
])('the error names %s if its value would prevent sending mails: %o', (name, source) => {
  expect(problemOf(source)).toMatch(new RegExp(`^Wrong configuration: ${name}: must [^;]*$`));
  // A part of the password in one of the URLs.
  expect(problemOf(source)).not.toContain('zz');
});

const warningsOf = (source: Record<string, string>) => configurationWarnings(readEnv(source)).join();

test.each([
  'postgres://me:secret@db.example.org/polls',
  'postgres://me:secret@10.0.0.1:5432/polls?sslmode=prefer',
  'postgres://me:secret@db.example.org/polls?sslmode=disable',
  'postgres://me:secret@db.example.org/polls?ssl=false',
])('warns about a remote database whose URL does not require TLS, hiding its password: %s', (url) => {
  expect(warningsOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL .*sslmode=verify-full/);
  expect(warningsOf({ DATABASE_URL: url })).not.toContain('secret');
});

test.each([
  'postgres://me:secret@db.example.org/polls?sslmode=require&sslrootcert=/etc/ca.pem',
  'postgres://me:secret@db.example.org/polls?sslmode=verify-ca&sslrootcert=/etc/ca.pem',
  'postgres://me:secret@db.example.org/polls?sslmode=verify-full',
  'postgres://me:secret@db.example.org/polls?sslrootcert=system',
  'postgres://me:secret@db.example.org/polls?ssl=true',
  'postgres://me:secret@localhost/polls',
  'postgres://me:secret@127.0.0.1:5432/polls',
  'postgres://me:secret@%2Fvar%2Frun%2Fpostgresql/polls',
])('does not warn about a database on this machine or with a verified certificate: %s', (url) => {
  expect(warningsOf({ DATABASE_URL: url })).toBe('');
});

test('a DATABASE_URL without a host is a database on this machine, unless PGHOST names another', () => {
  expect(warningsOf({ DATABASE_URL: 'postgres:///polls' })).toBe('');
  for (const PGHOST of ['/var/run/postgresql', '/run/a%b', 'localhost:5433']) {
    expect(warningsOf({ DATABASE_URL: 'postgres:///polls', PGHOST })).toBe('');
  }
  expect(warningsOf({ DATABASE_URL: 'postgres:///polls', PGHOST: 'db.example.org' })).toMatch(
    /^DATABASE_URL points to another/,
  );
});

test('PGSSL requires TLS for a DATABASE_URL without sslmode', () => {
  const DATABASE_URL = 'postgres://me:secret@db.example.org/polls';
  expect(warningsOf({ DATABASE_URL, PGSSL: 'verify-full' })).toBe('');
});

test('warns about a database on another machine whose certificate is not verified', () => {
  const url = 'postgres://me:secret@db.example.org/polls?sslmode=require';
  expect(warningsOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL .*not verified.*sslmode=verify-full/);
  expect(warningsOf({ DATABASE_URL: url })).not.toContain('secret');
});

test.each([
  'sslmode=verify_full',
  'sslmode=',
  'sslmode=prefer&sslrootcert=/etc/ca.pem',
  'ssl=disable&sslrootcert=/etc/ca.pem',
  'sslrootcert=/etc/ca.pem',
])(
  'a DATABASE_URL with %s is invalid, because the certificate would not be verified as intended',
  (query) => {
    const source = { DATABASE_URL: `postgres://me:secret@db.example.org/polls?${query}` };
    expect(problemOf(source)).toMatch(/DATABASE_URL: must have no sslmode or one of .*verify-full/);
  },
);

test('warns about a collector on another machine without https', () => {
  const warningFor = (url: string) => warningsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  expect(warningFor('http://collector.example.org:4318')).toMatch(
    /^OTEL_EXPORTER_OTLP_ENDPOINT begins with http:/,
  );
  expect(warningFor('HTTP://10.0.0.1:4318')).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT begins with http:/);
  expect(warningFor('http://me:secret@10.0.0.1:4318')).not.toContain('secret');
  expect(warningFor('https://collector.example.org:4318')).toBe('');
  expect(warningFor('http://localhost:4318')).toBe('');
  expect(warningFor('http://[::1]:4318')).toBe('');
});

test('warns about a public address without https, unless it is an address of this machine', () => {
  expect(warningsOf({ PUBLIC_URL: 'http://polls.example.org' })).toMatch(/^PUBLIC_URL .*https/);
  expect(warningsOf({ PUBLIC_URL: 'http://127.0.0.1:3000' })).toBe('');
});

test('warns about an https site without a configured proxy', () => {
  const site = { PUBLIC_URL: 'https://polls.example.org' };
  expect(warningsOf(site)).toContain('TRUST_PROXY');
  expect(warningsOf({ ...site, TRUST_PROXY: '1' })).toBe('');
  expect(warningsOf({})).toBe('');
});
