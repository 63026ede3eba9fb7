import * as z from 'zod/mini';
import { certificateCheckOf, SSL_MODES } from './postgres-tls.ts';

const urlSchema = z.string().check(
  z.refine(
    (text) => /^postgres(ql)?:$/.test(parseUrl(text)?.protocol ?? ''),
    'must look like postgres://user:password@host:5432/name',
  ),
  z.refine(
    (text) => isDecodable(text),
    'must have every % in its user, password and name written as %25, and other special characters percent-encoded, too',
  ),
  z.refine(
    (text) => hasValidTlsMode(text),
    `must have no sslmode or one of ${SSL_MODES.join(', ')}, and sslrootcert only with require, verify-ca or verify-full`,
  ),
);

/** The schema of each variable. */
export const databaseVariables = {
  DATABASE_URL: z.optional(urlSchema),
  DATABASE_DIRECT_URL: z.optional(urlSchema),
  DATABASE_REPLICA_URL: z.optional(urlSchema),
};

type Values = { [Name in keyof typeof databaseVariables]?: string | undefined };

/** The problems of the combination of variables, one line each. */
export function problemsOfDatabase(variables: Readonly<Record<string, string | undefined>>): string[] {
  if (variables.DATABASE_URL !== undefined) return [];
  return (['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    .filter((name) => variables[name] !== undefined)
    .map((name) => `${name}: can be set only when DATABASE_URL is`);
}

/** The addresses of the database. `databaseUrl` is null for the embedded database. */
export function readDatabaseUrls(values: Values) {
  const databaseUrl = values.DATABASE_URL ?? null;
  return {
    databaseUrl,
    /** Bypasses a connection pooler, for work that needs a dedicated session. */
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? databaseUrl,
    /** A streaming replica for some reads. */
    databaseReplicaUrl: values.DATABASE_REPLICA_URL ?? null,
  };
}

export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Whether `sslmode` is valid, and the root certificate, if any, is used: a typo must not weaken the connection. */
function hasValidTlsMode(text: string): boolean {
  const url = parseUrl(text);
  if (url === null) return true;
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.some((known) => known === mode)) return false;
  return !url.searchParams.has('sslrootcert') || certificateCheckOf(url) !== null;
}

/** Whether the text has only valid percent-encodings. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
