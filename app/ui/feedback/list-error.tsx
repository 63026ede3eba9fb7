import { EmptyState } from './empty-state.tsx';

/** Shown in place of a list that could not be loaded. */
export function ListError({ subject = 'polls' }: { subject?: string }) {
  return (
    <p role="alert" className="card p-5 text-center text-body">
      Error loading {subject}. Please try again later.
    </p>
  );
}

/**
 * Shown offline in place of a list of which nothing is on this device. `subject` is its content, such as "your polls", and
 * `wasLoaded` whether it was loaded before.
 */
export function NotOnDevice({ subject, wasLoaded = false }: { subject: string; wasLoaded?: boolean }) {
  return (
    <div role="alert">
      <EmptyState
        title={wasLoaded ? 'No more on this device' : 'Not on this device yet'}
        text={
          wasLoaded
            ? 'The rest will load when you are back online.'
            : `There is no connection to the server, and ${subject} have not been loaded here before.`
        }
      />
    </div>
  );
}
