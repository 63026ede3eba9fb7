import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { ExplainedError } from '#api/errors.ts';

/** The values of `sslmode`, as in PostgreSQL's own clients (libpq). */
export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** The value of `sslrootcert` that stands for the certificates that Node trusts. */
const SYSTEM_CERTIFICATES = 'system';

/** The parts of the server's certificate that are verified. `host`: that the certificate is for the host of the URL. */
type CertificateCheck = 'nothing' | 'signer' | 'signer and host';

/**
 * How the server's certificate is verified for a database URL. The options mean what they mean to libpq: a root certificate
 * turns `require` into `verify-ca`. Null without TLS, and if the driver may fall back to a connection without TLS.
 * `defaultMode`: the value of `PGSSL`, which the driver uses if the URL has no mode.
 */
export function certificateCheckOf(url: URL, defaultMode = ''): CertificateCheck | null {
  const mode = modeIn(url) ?? defaultMode;
  const rootCertificate = url.searchParams.get('sslrootcert');
  if (rootCertificate === SYSTEM_CERTIFICATES) return 'signer and host';
  if (['disable', 'false', 'allow', 'prefer', ''].includes(mode)) return null;
  if (mode === 'verify-ca') return 'signer';
  if (mode === 'require') return rootCertificate === null ? 'nothing' : 'signer';
  return 'signer and host';
}

/**
 * The URL for the driver and the driver's options for TLS. The URL lacks `sslrootcert`, which the driver would send to the
 * server. Throws `ExplainedError` when the file of a root certificate cannot be read.
 */
export function tlsOf(databaseUrl: string): { url: string; options: { ssl?: ConnectionOptions | 'prefer' } } {
  const url = new URL(databaseUrl);
  const check = certificateCheckOf(url);
  const file = url.searchParams.get('sslrootcert');
  url.searchParams.delete('sslrootcert');
  if (check === null || check === 'nothing') {
    // With `allow` the driver would refuse to connect without TLS.
    const options = modeIn(url) === 'allow' ? ({ ssl: 'prefer' } as const) : {};
    return { url: file === null ? databaseUrl : url.href, options };
  }
  const ca = file === null || file === SYSTEM_CERTIFICATES ? null : readRootCertificate(file);
  return {
    url: url.href,
    options: {
      ssl: {
        ...(ca !== null && { ca }),
        ...(check === 'signer' && { checkServerIdentity: () => undefined }),
        // The driver passes on only host names. The certificate for an IP address would be compared with "localhost".
        ...(isIP(url.hostname) !== 0 && { host: url.hostname }),
      },
    },
  };
}

/** The value of `sslmode`, or of `ssl`, which the driver also accepts; null if the URL has neither. */
function modeIn({ searchParams }: URL): string | null {
  return searchParams.get('sslmode') ?? searchParams.get('ssl');
}

function readRootCertificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ExplainedError(
      `The file of sslrootcert in the URL of a database cannot be read: ${path} (${code}).`,
      error,
    );
  }
}
