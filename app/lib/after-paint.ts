/** Runs `task` once: after the next paint or, because a hidden page is not painted, as soon as the page is hidden. */
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
