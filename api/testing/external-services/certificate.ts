import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { DAY_MS } from '#shared/time.ts';

/** The DER tags of the values in a certificate. The last four are context-specific: what they mean depends on their place. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  uri: 0x86,
  ipAddress: 0x87,
  field0: 0xa0,
  extensions: 0xa3,
};

/** Encodes a value in DER. Only what an X.509 certificate needs is implemented. */
export const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
};
export const sequence = (...contents: readonly Uint8Array[]) => der(TAG.sequence, ...contents);
export const oid = (hex: string) => der(TAG.objectId, Buffer.from(hex, 'hex'));
/** A UTCTime, such as 260131120000Z. */
const time = (date: Date) => {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(TAG.utcTime, Buffer.from(digits.slice(2)));
};

const COMMON_NAME = oid('550403');
const SUBJECT_ALT_NAME = oid('551d11');
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

/** Creates a self-signed certificate for an IPv4 address of this machine, valid today, and its key; both as PEM. */
export function createCertificate(address: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ip = der(TAG.ipAddress, Buffer.from(address.split('.').map(Number)));
  const base64 = signCertificate(publicKey, privateKey, [
    sequence(SUBJECT_ALT_NAME, der(TAG.octetString, sequence(ip))),
  ]).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A certificate in DER for an EC key, valid today, signed with the key of its issuer, which has the same name. */
export function signCertificate(
  publicKey: KeyObject,
  issuerKey: KeyObject,
  extensions: readonly Buffer[],
): Buffer {
  const name = sequence(der(TAG.set, sequence(COMMON_NAME, der(TAG.utf8String, Buffer.from('test')))));
  const body = sequence(
    // The version (2 stands for version 3), and the serial number, whose first byte keeps it positive.
    der(TAG.field0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(new Date(Date.now() - DAY_MS)), time(new Date(Date.now() + DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(TAG.extensions, sequence(...extensions))]),
  );
  // A bit string begins with the number of its unused bits.
  const signature = der(TAG.bitString, Buffer.from([0]), sign('sha256', body, issuerKey));
  return sequence(body, ECDSA_WITH_SHA256, signature);
}
