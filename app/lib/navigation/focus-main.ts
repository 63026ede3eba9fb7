let isPending = false;

/** Moves the focus to the main content; when there is none yet, `focusPendingMain` does so later. */
export function focusMain(): void {
  const main = document.getElementById('main');
  isPending = main === null;
  main?.focus({ preventScroll: true });
}

/** Called by a layout with a main element of its own when it is mounted. */
export function focusPendingMain(): void {
  if (isPending) focusMain();
}
