import { createECDH, createPrivateKey, ECDH, generateKeyPairSync, sign } from 'node:crypto';

const CURVE = 'prime256v1';
/** Push services reject tokens that are valid for more than 24 hours. */
const TOKEN_TTL_S = 12 * 3_600;

/** The key pair that identifies this server to push services (RFC 8292): P-256, 65 and 32 bytes in base64url. */
export type VapidKeys = { publicKey: string; privateKey: string };

/** Creates a private key, in base64url. */
export function newVapidKey(): string {
  const { d = '' } = generateKeyPairSync('ec', { namedCurve: CURVE }).privateKey.export({ format: 'jwk' });
  return d;
}

/** Derives the key pair of a private key in base64url. Throws if the key is not valid. */
export function toVapidKeys(privateKey: string): VapidKeys {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(privateKey, 'base64url');
  return { privateKey, publicKey: pair.getPublicKey('base64url') };
}

/** Whether a text is a public key of P-256 in base64url. */
export function isPublicKey(key: string): boolean {
  try {
    ECDH.convertKey(key, CURVE, 'base64url');
    return true;
  } catch {
    return false;
  }
}

/** The Authorization header of a request to `endpoint`. `subject`: a URL by which the push service can reach the operator. */
export function vapidHeader({ publicKey, privateKey }: VapidKeys, subject: string, endpoint: URL): string {
  const point = Buffer.from(publicKey, 'base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: privateKey,
    },
  });
  const expiresAtS = Math.floor(Date.now() / 1_000) + TOKEN_TTL_S;
  const claims = { aud: endpoint.origin, exp: expiresAtS, sub: subject };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
