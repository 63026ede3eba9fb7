/** Runs `task` once: after the next paint or, because a hidden page is not painted, as soon as the page is hidden. */
export function afterPaint(task: () => void): void {
  const controller = new AbortController();
  const { signal } = controller;
  function runOnce() {
    if (signal.aborted) return;
    controller.abort();
    task();
  }
  if (document.visibilityState === 'hidden') {
    runOnce();
    return;
  }
  document.addEventListener('visibilitychange', runOnce, { signal });
  window.addEventListener('pagehide', runOnce, { signal });
  // The callbacks of a frame run before its paint; a message that they post is delivered after it.
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = runOnce;
    port2.postMessage(null);
  });
}
