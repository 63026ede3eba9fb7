// Marks the buttons of a prerendered page that are clicked before the app runs; the app then clicks them again.
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element && event.target.closest('[data-page] button');
  if (!button) return;
  event.preventDefault();
  button.dataset.earlyClick = '';
});
