import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { mailSettings, mailVariables, problemsOfMail } from '#api/mail/mail-variables.ts';
import { problemsOfPush, pushSettings, pushVariables } from '#api/push/push-variables.ts';
import {
  imageStorageVariables,
  isOrigin,
  problemsOfImageStorage,
  readImageStorage,
} from '#api/storage/s3-variables.ts';
import { readTracing, tracingVariables } from '#api/tracing/tracing-variables.ts';
import { newPasswordSchema, registerInputSchema, usernameSchema } from '#shared/accounts/schema.ts';
import {
  databaseVariables,
  parseUrl,
  problemsOfDatabase,
  readDatabaseUrls,
} from './db/postgres/database-variables.ts';
import { ExplainedError } from './errors.ts';

export type Env = ReturnType<typeof readEnv>;

/** Without the clients' own addresses, limits count all clients of a proxy as one. */
export const PROXY_WARNING =
  'There seems to be a proxy in front of the server, but TRUST_PROXY is 0: all its clients share the limits of one';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The owner's default email: nobody reads it, and no mail is sent to it. */
export const DEFAULT_OWNER_EMAIL = 'owner@thisorthat.example';
/** Enough for the sockets of 5,000 open tabs and their requests. */
const DEFAULT_CONNECTIONS_MAX = 10_000;

/** Names all invalid variables and what each should be, in one line. */
export class EnvError extends ExplainedError {
  constructor(problems: readonly string[]) {
    super(`Wrong configuration: ${problems.join('; ')}. See .env.example.`);
  }
}

function wholeNumber(min: number, max: number, message: string) {
  const isInRange = z.refine<string>((text) => Number(text) >= min && Number(text) <= max, message);
  return z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message), isInRange), z.transform(Number));
}

const originSchema = z.pipe(
  z.string().check(z.refine(isOrigin, 'must be an origin such as https://polls.example.org')),
  z.transform((text) => new URL(text).origin),
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
  ...mailVariables,
  ...pushVariables,
  /** For tests: an origin that push messages may go to, whatever its address. */
  PUSH_TEST_ORIGIN: z.optional(originSchema),
  OWNER_USERNAME: z._default(usernameSchema, 'owner'),
  OWNER_EMAIL: z._default(registerInputSchema.shape.email, DEFAULT_OWNER_EMAIL),
  OWNER_PASSWORD: z.optional(newPasswordSchema),
  TRUST_PROXY: z._default(wholeNumber(0, 10, 'must be a whole number from 0 to 10'), 0),
  MAX_CONNECTIONS: z._default(
    wholeNumber(10, 1_000_000, 'must be a whole number from 10 to 1000000'),
    DEFAULT_CONNECTIONS_MAX,
  ),
  ADMIN_PASSKEY: z._default(z.enum(['optional', 'required'], 'must be optional or required'), 'optional'),
  PUBLIC_POLLS: z._default(z.enum(['noindex', 'indexable'], 'must be noindex or indexable'), 'noindex'),
  RATE_LIMITS: z._default(z.enum(['on', 'off'], 'must be on or off'), 'on'),
  ANALYTICS_URL: z.optional(analyticsUrlSchema),
  ...tracingVariables,
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
  const nonEmpty = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = variablesSchema.safeParse(nonEmpty);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);

  const isHttps = parseUrl(nonEmpty.PUBLIC_URL ?? '')?.protocol === 'https:';
  if (isHttps && nonEmpty.RATE_LIMITS === 'off')
    problems.push('RATE_LIMITS: must be on when PUBLIC_URL is https');
  if (isHttps && nonEmpty.PUSH_TEST_ORIGIN !== undefined) {
    problems.push('PUSH_TEST_ORIGIN: is for tests, and must not be set when PUBLIC_URL is https');
  }
  if (nonEmpty.ADMIN_PASSKEY === 'required' && !canHavePasskeys(nonEmpty.PUBLIC_URL)) {
    problems.push(
      'ADMIN_PASSKEY: can be required only where browsers support passkeys: PUBLIC_URL must be https with a name, or http://localhost',
    );
  }
  problems.push(
    ...problemsOfDatabase(nonEmpty),
    ...problemsOfImageStorage(nonEmpty),
    ...problemsOfMail(nonEmpty),
    ...problemsOfPush(nonEmpty),
  );
  if (!parsed.success || problems.length > 0) throw new EnvError([...new Set(problems)]);

  const values = parsed.data;
  /** Without the port if it is 80, as in the `Origin` header of browsers. */
  const originOn = (host: string) => new URL(`http://${host}:${values.PORT}`).origin;
  const publicUrl = values.PUBLIC_URL ?? originOn('localhost');
  const mail = mailSettings(values, publicUrl);
  const { keys, subject } = pushSettings(values);
  return {
    host: values.HOST,
    port: values.PORT,
    /** An origin without a trailing slash, like each of `origins`. */
    publicUrl,
    /** Every origin that a browser may send requests from. */
    origins: values.PUBLIC_URL === undefined ? [publicUrl, originOn('127.0.0.1')] : [publicUrl],
    isHttps,
    /**
     * The relying party of passkeys. Browsers support no passkeys on IP addresses, nor over http except on `localhost`; on such
     * sites the app does not offer them.
     */
    relyingParty: { id: new URL(publicUrl).hostname, origin: publicUrl },
    /** Whether administrators have to use a passkey in a session before they can administrate in it. */
    isAdminPasskeyRequired: values.ADMIN_PASSKEY === 'required',
    ...readDatabaseUrls(values),
    /** The variables that the driver of PostgreSQL reads itself, for what is missing in the URLs; '' if unset. */
    driverDefaults: { host: nonEmpty.PGHOST ?? '', sslMode: nonEmpty.PGSSL ?? '' },
    dataDir: resolve(values.DATA_DIR),
    ...readImageStorage(values),
    mail,
    push: {
      keys,
      /** How push services can reach the operator. */
      subject: subject ?? (isHttps ? publicUrl : `mailto:${mail.from.address}`),
      testOrigin: values.PUSH_TEST_ORIGIN ?? null,
    },
    owner: {
      username: values.OWNER_USERNAME,
      email: values.OWNER_EMAIL,
      password: values.OWNER_PASSWORD ?? null,
    },
    /** How many proxies in front are trusted to set `X-Forwarded-For`. */
    trustProxy: values.TRUST_PROXY,
    /** The maximum number of open connections, including those of sockets. */
    connectionsMax: values.MAX_CONNECTIONS,
    /** Whether search engines may list the pages of share links. */
    arePollsIndexable: values.PUBLIC_POLLS === 'indexable',
    rateLimits: values.RATE_LIMITS === 'on',
    /** Where the app sends page views and events; null for nowhere. */
    analyticsUrl: values.ANALYTICS_URL ?? null,
    ...readTracing(values),
    /** The token with which `/metrics` can be read; null if nobody can. */
    metricsToken: values.METRICS_TOKEN ?? null,
    logLevel: values.LOG_LEVEL,
  };
}

/** Whether browsers offer passkeys at this address; undefined is the default address. */
function canHavePasskeys(publicUrl: string | undefined): boolean {
  const url = parseUrl(publicUrl ?? 'http://localhost');
  if (url === null) return false;
  const isIpAddress = isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
  return url.hostname === 'localhost' || (url.protocol === 'https:' && !isIpAddress);
}
