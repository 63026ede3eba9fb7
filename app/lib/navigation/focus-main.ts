let isPending = false;

/** Moves the focus to the main content; when there is none yet, `focusPendingMain` does so later. */
export function focusMain(): void {
  const main = document.getElementById('main');
  isPending = main === null;
  main?.focus({ preventScroll: true });
}

/** Moves the focus that `focusMain` could not move. Called by screens outside the shell, whose main element is mounted late. */
export function focusPendingMain(): void {
  if (isPending) focusMain();
}
