/** How long to wait after the last input: enough time to see the result of a vote. */
const PAUSE_MS = 2_000;

/** Calls `run` once, after two seconds without a tap, key press or scroll. Returns a function that cancels it. */
export function afterPause(run: () => void): () => void {
  const events = ['pointerdown', 'keydown', 'scroll'] as const;
  let timer: ReturnType<typeof setTimeout>;
  const options = { capture: true, passive: true };

  function stop(): void {
    clearTimeout(timer);
    for (const event of events) window.removeEventListener(event, restart, options);
  }

  function restart(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stop();
      run();
    }, PAUSE_MS);
  }

  for (const event of events) window.addEventListener(event, restart, options);
  restart();
  return stop;
}
