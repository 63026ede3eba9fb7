export function Spinner({ label }: { label: string }) {
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center">
      <span className="loading loading-spinner loading-lg text-muted" aria-hidden="true" />
      <span className="sr-only">{label}</span>
    </div>
  );
}
