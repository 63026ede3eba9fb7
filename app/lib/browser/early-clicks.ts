/**
 * Replays clicks on buttons of a prerendered page that happened before the app ran; public/early.js has marked the buttons.
 * Call it in an effect of the page. The clicks wait until the forms have been rendered again with what was typed into the
 * prerendered page, which `useForm` reads in a layout effect: a submit before that would find the fields empty.
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
