import { EmptyState } from './empty-state.tsx';

/** Shown in place of a list that could not be loaded. */
export function ListError({ of = 'polls' }: { of?: string }) {
  return (
    <p role="alert" className="card p-5 text-center text-body">
      Error loading {of}. Please try again later.
    </p>
  );
}

/** Shown offline in place of a list that this device has never loaded. `what` names its content. */
export function NotOnDevice({ what }: { what: string }) {
  return (
    <div role="alert">
      <EmptyState
        title="Not on this device yet"
        text={`There is no connection to the server, and ${what} have not been loaded here before.`}
      />
    </div>
  );
}
