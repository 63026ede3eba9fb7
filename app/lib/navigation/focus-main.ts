let isPending = false;

/** Moves the focus to the main content; when there is none yet, `focusPendingMain` does so later. */
export function focusMain(): void {
  const main = document.getElementById('main');
  isPending = main === null;
  main?.focus({ preventScroll: true });
}

/** Moves the focus that `focusMain` could not move. Called by screens with a `main` element of their own, which is mounted later. */
export function focusPendingMain(): void {
  if (isPending) focusMain();
}
