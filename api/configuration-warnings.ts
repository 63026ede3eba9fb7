import { certificateCheckOf } from '#api/db/postgres/postgres-tls.ts';
import { isLoopback } from '#api/http/loopback.ts';
import { type Env, PROXY_WARNING } from './env.ts';

/** Settings that are allowed but probably not intended, as warnings for the log. */
export function configurationWarnings(env: Env): string[] {
  const warnings = warningsOfDatabase(env);
  if (isUnprotected(env.publicUrl)) {
    warnings.push(
      'PUBLIC_URL begins with http: anyone on the network path can read passwords and sessions, and browsers do not store the app: put an https proxy in front',
    );
  }
  if (env.s3 !== null && isUnprotected(env.s3.endpoint)) {
    warnings.push('S3_ENDPOINT begins with http: anyone on the network path can read and change the images');
  }
  if (env.tracing !== null && isUnprotected(env.tracing.endpoint)) {
    warnings.push(
      'OTEL_EXPORTER_OTLP_ENDPOINT begins with http: anyone on the network path can read the traces, and OTEL_EXPORTER_OTLP_HEADERS, with which anyone can send traces to the collector',
    );
  }
  if (env.isHttps && env.trustProxy === 0) warnings.push(PROXY_WARNING);
  return warnings;
}

/** Whether data sent to an address crosses a network without https. */
function isUnprotected(address: string): boolean {
  const url = new URL(address);
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Warnings about connections to databases on other machines that a third party can read, change or redirect. */
function warningsOfDatabase(env: Env): string[] {
  const { databaseUrl, databaseDirectUrl, databaseReplicaUrl } = env;
  return [
    warningOf('DATABASE_URL', databaseUrl, env),
    warningOf('DATABASE_DIRECT_URL', databaseDirectUrl === databaseUrl ? null : databaseDirectUrl, env),
    warningOf('DATABASE_REPLICA_URL', databaseReplicaUrl, env),
  ].filter((warning) => warning !== null);
}

function warningOf(variable: string, databaseUrl: string | null, { driverDefaults }: Env): string | null {
  if (databaseUrl === null) return null;
  const url = new URL(databaseUrl);
  const check = certificateCheckOf(url, driverDefaults.sslMode);
  // Encoded as in a URL, since `isLoopback` decodes it.
  const hostname = url.hostname || encodeURIComponent(driverDefaults.host.replace(/:\d+$/, ''));
  if (isLoopback({ hostname }) || check === 'signer' || check === 'signer and host') return null;
  return check === null
    ? `${variable} points to another machine without requiring TLS, so anyone on the network path can read and change the data: ` +
        'add ?sslmode=verify-full, with &sslrootcert=<file> if its certificate is signed by an authority of your own'
    : `${variable} points to another machine whose certificate is not verified, so anyone on the network path can impersonate it: ` +
        'write sslmode=verify-full, with sslrootcert=<file> if its certificate is signed by an authority of your own';
}
