/** Runs `task` once, after the current change has been painted, or as soon as the page is hidden: nothing is painted then. */
export function afterPaint(task: () => void): void {
  const stop = new AbortController();
  function run() {
    if (stop.signal.aborted) return;
    stop.abort();
    task();
  }
  if (document.visibilityState === 'hidden') {
    run();
    return;
  }
  document.addEventListener('visibilitychange', run, stop);
  window.addEventListener('pagehide', run, stop);
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = run;
    port2.postMessage(null);
  });
}
