/** Stands in the place of a list that could not be loaded and is not on this device either. */
export function ListError() {
  return (
    <p role="alert" className="rounded-card bg-base-100 p-5 text-center text-body shadow-card">
      Error loading polls. Please try again later.
    </p>
  );
}
