import { isIP } from 'node:net';
import { resolve } from 'node:path';
import parseAddresses from 'nodemailer/lib/addressparser';
import * as z from 'zod/mini';
import { checkOf } from '#api/db/postgres/postgres-tls.ts';
import { isLoopback } from '#api/http/loopback.ts';
import { toVapidKeys } from '#api/push/vapid.ts';
import {
  imageStorageVariables,
  problemsOfImageStorage,
  readImageStorage,
} from '#api/storage/s3-variables.ts';
import { newPasswordSchema, registerInputSchema, usernameSchema } from '#shared/accounts/schema.ts';
import {
  databaseVariables,
  isDecodable,
  parseUrl,
  problemsOfDatabase,
  readDatabaseUrls,
} from './db/postgres/database-variables.ts';

export type Env = ReturnType<typeof readEnv>;

/** Without the real addresses, limits count a proxy's clients as one. */
export const PROXY_WARNING =
  'There seems to be a proxy in front of the server, but TRUST_PROXY is 0: all its clients share the limits of one';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The owner's address by default: nobody reads it, and no mail is sent there. */
export const DEFAULT_OWNER_EMAIL = 'owner@thisorthat.example';
/** Enough for the sockets of 5,000 open tabs and their requests. */
const CONNECTIONS_MAX = 10_000;
const DEFAULT_SENDER_NAME = 'This or That?';

/** Names all invalid variables and what each should be, in one line. */
export class EnvError extends Error {
  constructor(problems: readonly string[]) {
    super(`Wrong configuration: ${problems.join('; ')}. See .env.example.`);
    this.name = 'EnvError';
  }
}

function wholeNumber(min: number, max: number, message: string) {
  const isInRange = z.refine<string>((text) => Number(text) >= min && Number(text) <= max, message);
  return z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message), isInRange), z.transform(Number));
}

const originSchema = z.pipe(
  z.string().check(
    z.refine((text) => {
      const url = parseUrl(text);
      return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    }, 'must be an origin such as https://polls.example.org'),
  ),
  z.transform((text) => new URL(text).origin),
);

const smtpUrlSchema = z.string().check(
  z.refine(
    (text) => /^smtps?:$/.test(parseUrl(text)?.protocol ?? '') && parseUrl(text)?.hostname !== '',
    'must look like smtps://user:password@host:465, or smtp:// with STARTTLS',
  ),
  z.refine((text) => isDecodable(text), 'must have every % in its user and password written as %25'),
  // With a pool the library would resend interrupted mails, which may have arrived.
  z.refine((text) => parseUrl(text)?.searchParams.has('pool') !== true, 'must be without pool'),
);

const mailFromSchema = z.pipe(
  z.string().check(
    z.refine((text) => {
      const addresses = parseAddresses(text, { flatten: true });
      const isOne = addresses.length === 1 && !/[\r\n]/.test(text);
      return isOne && registerInputSchema.shape.email.safeParse(addresses[0]?.address).success;
    }, 'must be an address such as This or That? <hello@polls.example.org>'),
  ),
  z.transform((text) => {
    const [sender] = parseAddresses(text, { flatten: true });
    return { name: sender?.name || DEFAULT_SENDER_NAME, address: sender?.address ?? '' };
  }),
);

const vapidKeySchema = (length: number) =>
  z
    .string()
    .check(
      z.refine(
        (text) => /^[A-Za-z0-9_-]+$/.test(text) && text.length === length,
        `must be ${length} letters, digits, - or _ (base64url)`,
      ),
    );

const vapidSubjectSchema = z.string().check(
  z.refine((text) => {
    const url = parseUrl(text);
    return url?.protocol === 'https:' || (url?.protocol === 'mailto:' && url.pathname.includes('@'));
  }, 'must be an address such as mailto:hello@polls.example.org, or an https one'),
);

const analyticsUrlSchema = z.string().check(
  z.refine((text) => {
    const url = parseUrl(text);
    return url?.protocol === 'https:' && url.username === '' && !/[\s;,'"]/.test(text);
  }, 'must be the https address of an events API such as https://plausible.example.org/api/event'),
);

const variablesSchema = z.object({
  HOST: z._default(z.string(), '127.0.0.1'),
  PORT: z._default(wholeNumber(1, 65_535, 'must be a port from 1 to 65535'), 3000),
  PUBLIC_URL: z.optional(originSchema),
  ...databaseVariables,
  DATA_DIR: z._default(z.string(), './data'),
  ...imageStorageVariables,
  SMTP_URL: z.optional(smtpUrlSchema),
  MAIL_FROM: z.optional(mailFromSchema),
  VAPID_PUBLIC_KEY: z.optional(vapidKeySchema(87)),
  VAPID_PRIVATE_KEY: z.optional(vapidKeySchema(43)),
  VAPID_SUBJECT: z.optional(vapidSubjectSchema),
  /** Of tests: an origin that push messages may go to, whatever its address. */
  PUSH_TEST_ORIGIN: z.optional(originSchema),
  OWNER_USERNAME: z._default(usernameSchema, 'owner'),
  OWNER_EMAIL: z._default(registerInputSchema.shape.email, DEFAULT_OWNER_EMAIL),
  OWNER_PASSWORD: z.optional(newPasswordSchema),
  TRUST_PROXY: z._default(wholeNumber(0, 10, 'must be a whole number from 0 to 10'), 0),
  MAX_CONNECTIONS: z._default(
    wholeNumber(10, 1_000_000, 'must be a whole number from 10 to 1000000'),
    CONNECTIONS_MAX,
  ),
  ADMIN_PASSKEY: z._default(z.enum(['optional', 'required'], 'must be optional or required'), 'optional'),
  PUBLIC_POLLS: z._default(z.enum(['noindex', 'indexable'], 'must be noindex or indexable'), 'noindex'),
  RATE_LIMITS: z._default(z.enum(['on', 'off'], 'must be on or off'), 'on'),
  ANALYTICS_URL: z.optional(analyticsUrlSchema),
  METRICS_TOKEN: z.optional(
    z.string().check(z.regex(/^[\w.~+/=-]{16,200}$/, 'must be 16 to 200 letters, digits or any of ._~+/=-')),
  ),
  LOG_LEVEL: z._default(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
});

export const VARIABLE_NAMES = Object.keys(variablesSchema.shape);

/**
 * Parses the configuration in `source`; empty variables count as unset. Throws one `EnvError` that names every invalid
 * variable.
 */
export function readEnv(source: Readonly<Record<string, string | undefined>> = process.env) {
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = variablesSchema.safeParse(set);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);

  const isHttps = parseUrl(set.PUBLIC_URL ?? '')?.protocol === 'https:';
  if (isHttps && set.RATE_LIMITS === 'off') problems.push('RATE_LIMITS: must be on when PUBLIC_URL is https');
  if (set.SMTP_URL !== undefined && set.MAIL_FROM === undefined) {
    problems.push('MAIL_FROM: must be set when SMTP_URL is, such as This or That? <hello@polls.example.org>');
  }
  if (isHttps && set.PUSH_TEST_ORIGIN !== undefined) {
    problems.push('PUSH_TEST_ORIGIN: is for tests, and must not be set when PUBLIC_URL is https');
  }
  if (!isKeyPair(set.VAPID_PUBLIC_KEY, set.VAPID_PRIVATE_KEY)) {
    problems.push('VAPID_PUBLIC_KEY: must be the public key of VAPID_PRIVATE_KEY, or both unset');
  }
  if (set.ADMIN_PASSKEY === 'required' && !canHavePasskeys(set.PUBLIC_URL)) {
    problems.push(
      'ADMIN_PASSKEY: can be required only where browsers have passkeys: PUBLIC_URL must be https with a name, or http://localhost',
    );
  }
  problems.push(...problemsOfDatabase(set), ...problemsOfImageStorage(set));
  if (!parsed.success || problems.length > 0) throw new EnvError(problems);

  const values = parsed.data;
  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
  const from = values.MAIL_FROM ?? {
    name: DEFAULT_SENDER_NAME,
    address: `no-reply@${new URL(publicUrl).hostname}`,
  };
  return {
    host: values.HOST,
    port: values.PORT,
    /** An origin, without a trailing slash, as those below. */
    publicUrl,
    /** Every origin that a browser may send requests from. */
    origins: values.PUBLIC_URL === undefined ? [publicUrl, `http://127.0.0.1:${values.PORT}`] : [publicUrl],
    isHttps,
    /**
     * What passkeys belong to. Browsers have none for addresses that are numbers, nor for http beyond `localhost`; the app
     * offers them nowhere else.
     */
    relyingParty: { id: new URL(publicUrl).hostname, origin: publicUrl },
    /** Whether administrators can do nothing without a passkey. */
    isAdminPasskeyRequired: values.ADMIN_PASSKEY === 'required',
    ...readDatabaseUrls(values),
    dataDir: resolve(values.DATA_DIR),
    ...readImageStorage(values),
    mail: {
      /** Without it, mails are written to files. */
      smtpUrl: values.SMTP_URL ?? null,
      from,
    },
    push: {
      /** Without them, those in the database. */
      keys: values.VAPID_PRIVATE_KEY === undefined ? null : toVapidKeys(values.VAPID_PRIVATE_KEY),
      /** How push services can reach the operator. */
      subject: values.VAPID_SUBJECT ?? (isHttps ? publicUrl : `mailto:${from.address}`),
      testOrigin: values.PUSH_TEST_ORIGIN ?? null,
    },
    owner: {
      username: values.OWNER_USERNAME,
      email: values.OWNER_EMAIL,
      password: values.OWNER_PASSWORD ?? null,
    },
    /** How many proxies in front may set `X-Forwarded-For`. */
    trustProxy: values.TRUST_PROXY,
    /** Open connections, those of sockets included; further ones are refused. */
    connectionsMax: values.MAX_CONNECTIONS,
    /** Whether search engines may list the pages of share links. */
    arePollsIndexable: values.PUBLIC_POLLS === 'indexable',
    rateLimits: values.RATE_LIMITS === 'on',
    /** Where the app sends page views and events; null for nowhere. */
    analyticsUrl: values.ANALYTICS_URL ?? null,
    /** Who knows it may read `/metrics`; null for nobody. */
    metricsToken: values.METRICS_TOKEN ?? null,
    logLevel: values.LOG_LEVEL,
  };
}

/** Whether two keys, if any, belong together. */
function isKeyPair(publicKey: string | undefined, privateKey: string | undefined): boolean {
  if (publicKey === undefined || privateKey === undefined) return publicKey === privateKey;
  try {
    return toVapidKeys(privateKey).publicKey === publicKey;
  } catch {
    return false;
  }
}

/** Whether browsers offer passkeys at this address, the default one if undefined. */
function canHavePasskeys(publicUrl: string | undefined): boolean {
  const url = parseUrl(publicUrl ?? 'http://localhost');
  if (url === null) return false;
  return url.hostname === 'localhost' || (url.protocol === 'https:' && !isAddress(url.hostname));
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** What is allowed, but hardly wanted; for the log. */
export function configurationWarnings(env: Env): string[] {
  const warnings = warningsOfDatabase(env);
  if (!env.isHttps && !isLoopback(new URL(env.publicUrl))) {
    warnings.push(
      'PUBLIC_URL begins with http: anyone on the way can read passwords and sessions, and phones keep no app: put an https proxy in front',
    );
  }
  if (env.s3?.endpoint.startsWith('http:') && !isLoopback(new URL(env.s3.endpoint))) {
    warnings.push('S3_ENDPOINT begins with http: anyone on the way can read and change the images');
  }
  if (env.isHttps && env.trustProxy === 0) warnings.push(PROXY_WARNING);
  return warnings;
}

/** Connections to other machines that others can read or change. */
function warningsOfDatabase({ databaseUrl, databaseDirectUrl, databaseReplicaUrl }: Env): string[] {
  return [
    warningOf('DATABASE_URL', databaseUrl),
    warningOf('DATABASE_DIRECT_URL', databaseDirectUrl === databaseUrl ? null : databaseDirectUrl),
    warningOf('DATABASE_REPLICA_URL', databaseReplicaUrl),
  ].filter((warning) => warning !== null);
}

function warningOf(name: string, text: string | null): string | null {
  if (text === null) return null;
  const url = new URL(text);
  const check = checkOf(url, process.env.PGSSL);
  if (isLoopback(url) || check === 'signer' || check === 'signer and host') return null;
  return check === null
    ? `${name} leads to another machine without TLS, so anyone on the way can read and change the data: ` +
        'add ?sslmode=verify-full, or ?sslmode=require for a certificate that nobody vouches for'
    : `${name} leads to another machine whose certificate is not verified, so anyone on the way can pretend to be it: ` +
        'write sslmode=verify-full, with sslrootcert=<file> if its certificate is signed by an authority of your own';
}
