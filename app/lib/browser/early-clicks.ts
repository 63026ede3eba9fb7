/**
 * Repeats the clicks on buttons of a prerendered page from before the app ran, which public/early.js has marked. After
 * this render: forms have taken over by then what was typed.
 */
export function replayEarlyClicks(): void {
  setTimeout(() => {
    const root = document.querySelector('[data-page]');
    root?.removeAttribute('data-page');
    for (const button of root?.querySelectorAll<HTMLElement>('[data-early-click]') ?? []) {
      button.removeAttribute('data-early-click');
      button.click();
    }
  });
}
