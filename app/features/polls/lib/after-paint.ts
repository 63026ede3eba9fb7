/** Runs `job` once the frame that shows the current change has been painted. */
export function afterPaint(job: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = job;
    port2.postMessage(null);
  });
}
