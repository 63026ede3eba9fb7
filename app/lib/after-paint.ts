/** Runs `task` once, after the current change has been painted, or when the page is hidden, as it is not painted then. */
export function afterPaint(task: () => void): void {
  const controller = new AbortController();
  function run() {
    if (controller.signal.aborted) return;
    controller.abort();
    task();
  }
  if (document.visibilityState === 'hidden') {
    run();
    return;
  }
  document.addEventListener('visibilitychange', run, controller);
  window.addEventListener('pagehide', run, controller);
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = run;
    port2.postMessage(null);
  });
}
