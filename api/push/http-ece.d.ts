declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  type Parameters = { version: 'aes128gcm'; privateKey: ECDH; authSecret: string };

  const ece: {
    /** Encrypts for the holder of `dh`, a public key in base64url, with an ephemeral `privateKey`. */
    encrypt(content: Buffer, parameters: Parameters & { dh: string }): Buffer;
    decrypt(content: Buffer, parameters: Parameters): Buffer;
  };
  export default ece;
}
