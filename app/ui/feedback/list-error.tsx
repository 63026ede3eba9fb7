import { EmptyState } from './empty-state.tsx';

/** Shown in place of a list that could not be loaded. */
export function ListError({ subject = 'polls' }: { subject?: string }) {
  return (
    <p role="alert" className="card p-5 text-center text-body">
      Error loading {subject}. Please try again later.
    </p>
  );
}

/** Shown offline in place of a list that this device has never loaded. `subject` is its content, such as "your polls". */
export function NotOnDevice({ subject }: { subject: string }) {
  return (
    <div role="alert">
      <EmptyState
        title="Not on this device yet"
        text={`There is no connection to the server, and ${subject} have not been loaded here before.`}
      />
    </div>
  );
}
