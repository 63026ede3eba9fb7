/** How long the person does nothing before something may appear: the result of a vote is seen by then. */
const PAUSE_MS = 2_000;

/** Calls `run` once the person has not touched anything for a while. Returns the function that cancels it. */
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
