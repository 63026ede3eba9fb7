import { EmptyState } from '#app/ui/empty-state.tsx';

export function ListError() {
  return (
    <p role="alert" className="card p-5 text-center text-body">
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
