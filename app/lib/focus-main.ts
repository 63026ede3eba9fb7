let isAwaited = false;

/** Gives the focus to the content of the page; a screen that is still loading gets it when it is there. */
export function focusMain(): void {
  const main = document.getElementById('main');
  isAwaited = main === null;
  main?.focus({ preventScroll: true });
}

/** For a screen with a main of its own, once it is there. */
export function focusAwaitedMain(): void {
  if (isAwaited) focusMain();
}
