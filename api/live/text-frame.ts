// The first bytes of a frame (RFC 6455, section 5.2).
const FINAL_TEXT = 0x81;
const LENGTH_IN_2_BYTES = 126;
const SHORT_MAX_BYTES = 125;
const MEDIUM_MAX_BYTES = 0xffff;

/**
 * Encodes a message as a WebSocket frame once for all sockets; `WebSocket.send` would encode it for each of them. Throws
 * beyond 65,535 bytes, which no message has.
 */
export function textFrame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  if (payload.length > MEDIUM_MAX_BYTES) throw new RangeError('This live message is too large.');
  if (payload.length <= SHORT_MAX_BYTES) {
    return Buffer.concat([Buffer.from([FINAL_TEXT, payload.length]), payload]);
  }
  const head = Buffer.from([FINAL_TEXT, LENGTH_IN_2_BYTES, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
