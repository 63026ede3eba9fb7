import { EmptyState } from '#app/ui/empty-state.tsx';

/** Stands in the place of a list that could not be loaded and is not on this device either. */
export function ListError() {
  return (
    <p role="alert" className="rounded-card bg-base-100 p-5 text-center text-body shadow-card">
      Error loading polls. Please try again later.
    </p>
  );
}

/** Stands in the place of a list that this device has never loaded, while there is no connection. `polls` names them. */
export function NotOnDevice({ polls }: { polls: 'the polls' | 'your polls' }) {
  return (
    <div role="alert">
      <EmptyState
        title="Not on this device yet"
        text={`There is no connection to the server, and ${polls} have not been loaded here before.`}
      />
    </div>
  );
}
