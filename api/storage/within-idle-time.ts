/** The same stream, but a read fails when no bytes arrive within `idleMs` milliseconds. Nothing is read ahead. */
export function withinIdleTime(body: ReadableStream<Uint8Array>, idleMs: number): ReadableStream {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { promise: timeout, reject } = Promise.withResolvers<never>();
        const timer = setTimeout(reject, idleMs, new Error('No bytes have arrived for too long'));
        try {
          const { done, value } = await Promise.race([reader.read(), timeout]);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reader.cancel(error).catch(() => {});
          throw error;
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
