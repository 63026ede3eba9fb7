import { generateKeyPairSync, sign } from 'node:crypto';
import { der, oid, sequence, signCertificate, TAG } from '#api/testing/external-services/certificate.ts';
import {
  type AttestationStatement,
  cborArray,
  cborBytes,
  cborInt,
  ES256,
  type NewPasskey,
} from './authenticator.ts';

const CRL_DISTRIBUTION_POINTS = oid('551d1f');
const ANDROID_KEY_DESCRIPTION = oid('2b06010401d679020111');

function signedFields({ data, clientDataHash, privateKey }: NewPasskey) {
  const signature = sign('sha256', Buffer.concat([data, clientDataHash]), privateKey);
  return [['alg', cborInt(ES256)] as const, ['sig', cborBytes(signature)] as const];
}

/** Self attestation: signed with the key of the passkey, without certificates. */
export function selfAttestation(passkey: NewPasskey): AttestationStatement {
  return { format: 'packed', fields: signedFields(passkey) };
}

/**
 * Returns a function that makes statements of the format "android-key" with a made-up root. Their certificates name `crlUrl` as
 * the address of the revocation list.
 */
export function androidKeyAttestation(crlUrl: string) {
  return (passkey: NewPasskey): AttestationStatement => {
    const root = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const leaf = signCertificate(passkey.publicKey, root.privateKey, [
      extension(ANDROID_KEY_DESCRIPTION, keyDescription(passkey.clientDataHash)),
      extension(CRL_DISTRIBUTION_POINTS, sequence(distributionPoint(crlUrl))),
    ]);
    const chain = [leaf, signCertificate(root.publicKey, root.privateKey, [])];
    return {
      format: 'android-key',
      fields: [...signedFields(passkey), ['x5c', cborArray(chain.map(cborBytes))]],
    };
  };
}

const extension = (id: Buffer, value: Buffer) => sequence(id, der(TAG.octetString, value));

/** A `DistributionPoint` of RFC 5280 with a `fullName`. */
const distributionPoint = (url: string) =>
  sequence(der(TAG.field0, der(TAG.field0, der(TAG.uri, Buffer.from(url)))));

/** A `KeyDescription` of Android with empty authorization lists. */
function keyDescription(challenge: Buffer): Buffer {
  const version = der(TAG.integer, Buffer.from([1]));
  const softwareLevel = der(TAG.enumerated, Buffer.from([0]));
  const uniqueId = der(TAG.octetString);
  return sequence(
    ...[version, softwareLevel, version, softwareLevel],
    ...[der(TAG.octetString, challenge), uniqueId, sequence(), sequence()],
  );
}
