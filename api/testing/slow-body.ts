/** A body that comes in two parts: `meanwhile` is done before the last byte, once the server has begun to read. */
export function slowBody(bytes: ArrayBuffer, meanwhile: () => Promise<unknown>): RequestInit {
  const parts = [bytes.slice(0, -1), bytes.slice(-1)];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = parts.shift();
        if (part === undefined) return controller.close();
        if (parts.length === 0) await meanwhile();
        controller.enqueue(new Uint8Array(part));
      },
    },
    // Nothing is made before it is asked for.
    { highWaterMark: 0 },
  );
  return { method: 'POST', body, ...{ duplex: 'half' } };
}
