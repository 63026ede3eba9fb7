/** "This or That?" in the current font size. */
export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-[0.26em] whitespace-nowrap font-display font-extrabold leading-none">
      <span className="wordmark-side">This</span>{' '}
      <span className="inline-grid size-[1.09em] place-items-center rounded-full bg-current">
        <span className="wordmark-or pb-[0.1em] text-[0.72em] leading-none">or</span>
      </span>{' '}
      <span className="wordmark-side">That?</span>
    </span>
  );
}
