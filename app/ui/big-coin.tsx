/** A coin in the corner of a card that is about points. */
export function BigCoin() {
  return (
    <svg
      width="164"
      height="164"
      viewBox="0 0 164 164"
      aria-hidden="true"
      className="absolute -top-9 -right-8 fill-primary-edge stroke-primary-edge"
    >
      <circle cx="82" cy="82" r="82" stroke="none" fillOpacity="0.4" />
      <circle cx="82" cy="82" r="61" fill="none" strokeWidth="6" />
    </svg>
  );
}
