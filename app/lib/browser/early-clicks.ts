/**
 * Replays clicks on buttons of a prerendered page that happened before the app ran; public/early.js has marked the buttons.
 * Deferred until after this render, when the forms have read what was typed into the prerendered page.
 */
export function replayEarlyClicks(): void {
  setTimeout(() => {
    const root = document.querySelector('[data-page]');
    // From now on, public/early.js leaves clicks to the app.
    root?.removeAttribute('data-page');
    for (const button of root?.querySelectorAll<HTMLElement>('[data-early-click]') ?? []) {
      button.removeAttribute('data-early-click');
      button.click();
    }
  });
}
