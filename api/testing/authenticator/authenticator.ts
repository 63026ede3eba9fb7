import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  Assertion,
  Attestation,
  CreationOptions,
  RequestOptions,
} from '#shared/accounts/passkeys/schema.ts';

/** Bits of the flags in authenticator data. */
const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  hasCredential: 0x40,
};
/** The labels of the parameters of a key in COSE (RFC 9052 and 9053), and three of their values. */
const COSE = { keyType: 1, algorithm: 3, curve: -1, x: -2, y: -3 };
const EC2 = 2;
export const ES256 = -7;
const P256 = 1;

/** What an authenticator or its browser sends instead of the default: mostly wrong values, for tests of refusals. */
type Overrides = {
  origin?: string;
  rpId?: string;
  /** The signature counter. */
  counter?: number;
  isUserVerified?: boolean;
  userHandle?: string;
  challenge?: string;
  type?: string;
  /** The key that signs. */
  key?: KeyObject;
  /** Makes the attestation statement of a new passkey; by default it has the format "none". */
  attest?: (passkey: NewPasskey) => AttestationStatement;
};

/** What an attestation statement is about: the keys of a passkey, the authenticator data and the hash of the client data. */
export type NewPasskey = {
  publicKey: KeyObject;
  privateKey: KeyObject;
  data: Buffer;
  clientDataHash: Buffer;
};
/** The values of the fields are in CBOR. */
export type AttestationStatement = { format: string; fields: readonly (readonly [string, Buffer])[] };
const NO_ATTESTATION: AttestationStatement = { format: 'none', fields: [] };

/** A passkey of an `Authenticator`. */
export type SoftPasskey = { id: string; key: KeyObject; userHandle: string; counter: number; rpId: string };

/**
 * A passkey provider and its browser in software: creates ES256 keys, attestations, by default of the format "none", and
 * assertions, as WebAuthn describes them. The counter of a passkey increases with each use, unless passkeys are synced between
 * devices.
 */
export class Authenticator {
  readonly #origin: string;
  readonly #isSynced: boolean;

  constructor(origin: string, { isSynced = false } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
  }

  /** Does what `navigator.credentials.create` does. */
  create(
    options: CreationOptions,
    overrides: Overrides = {},
    id = randomBytes(16).toString('base64url'),
  ): { passkey: SoftPasskey; attestation: Attestation } {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const rpId = options.rp.id;
    const passkey = {
      id,
      key: privateKey,
      userHandle: options.user.id,
      counter: this.#isSynced ? 0 : 1,
      rpId,
    };
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const coseKey = cborMap([
      [COSE.keyType, cborInt(EC2)],
      [COSE.algorithm, cborInt(ES256)],
      [COSE.curve, cborInt(P256)],
      [COSE.x, cborBytes(Buffer.from(x, 'base64url'))],
      [COSE.y, cborBytes(Buffer.from(y, 'base64url'))],
    ]);
    const credentialId = Buffer.from(id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credentialId.length);
    const aaguid = Buffer.alloc(16);
    const data = this.#authenticatorData(
      passkey,
      overrides,
      Buffer.concat([aaguid, length, credentialId, coseKey]),
    );
    const clientData = this.#clientData('webauthn.create', options.challenge, overrides);
    const clientDataHash = createHash('sha256').update(clientData).digest();
    const statement = overrides.attest?.({ publicKey, privateKey, data, clientDataHash }) ?? NO_ATTESTATION;
    const attestationObject = cborMap([
      ['fmt', cborText(statement.format)],
      ['attStmt', cborMap(statement.fields)],
      ['authData', cborBytes(data)],
    ]);
    return {
      passkey,
      attestation: {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      },
    };
  }

  /** Does what `navigator.credentials.get` does once the user has chosen `passkey`. */
  use(options: RequestOptions, passkey: SoftPasskey, overrides: Overrides = {}): Assertion {
    if (!this.#isSynced) passkey.counter += 1;
    const clientData = this.#clientData('webauthn.get', options.challenge, overrides);
    const data = this.#authenticatorData(passkey, overrides);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      id: passkey.id,
      rawId: passkey.id,
      type: 'public-key',
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, overrides.key ?? passkey.key).toString('base64url'),
        userHandle: overrides.userHandle ?? passkey.userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, overrides: Overrides): Buffer {
    const origin = overrides.origin ?? this.#origin;
    const data = { type: overrides.type ?? type, challenge: overrides.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }

  /** `credential`: the id and the public key of a new passkey, as an attestation contains them. */
  #authenticatorData(passkey: SoftPasskey, overrides: Overrides, credential: Buffer | null = null): Buffer {
    const { isUserVerified = true, counter = passkey.counter, rpId = passkey.rpId } = overrides;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags =
      FLAGS.userPresent |
      (isUserVerified ? FLAGS.userVerified : 0) |
      (this.#isSynced ? FLAGS.backupEligible | FLAGS.backedUp : 0) |
      (credential === null ? 0 : FLAGS.hasCredential);
    const rpIdHash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([rpIdHash, Buffer.from([flags]), count, credential ?? Buffer.alloc(0)]);
  }
}

/** The head of a CBOR item: its major type and a number. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 0x100) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}

export const cborInt = (value: number) => (value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value));
export const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
export const cborArray = (items: readonly Buffer[]) => Buffer.concat([cborHead(4, items.length), ...items]);
const cborMap = (entries: readonly (readonly [number | string, Buffer])[]) =>
  Buffer.concat([
    cborHead(5, entries.length),
    ...entries.flatMap(([key, value]) => [typeof key === 'number' ? cborInt(key) : cborText(key), value]),
  ]);
