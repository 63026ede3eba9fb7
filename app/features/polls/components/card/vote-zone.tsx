import { captionOf, type Face, refusedOf } from '#app/features/polls/lib/card-state.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/client/outbox/overlay.ts';
import { Refusal } from './refusal.tsx';
import { Results } from './results.tsx';
import { VoteKeys } from './vote-keys.tsx';

type Props = { view: PollView; face: Face; fresh: boolean; onVote(option: Option, from: Element): void };

/** Keys or results, in the same place and of the same height. */
export function VoteZone({ view, face, fresh, onVote }: Props) {
  const refused = refusedOf(view, face);
  return (
    <div
      data-zone="keys"
      tabIndex={-1}
      className="relative z-1 rounded-key pt-2 focus-visible:outline-offset-0 [&:not(:has(button))]:pointer-events-none"
    >
      {face.kind === 'open' ? (
        <VoteKeys poll={view.poll} onVote={onVote} />
      ) : (
        <Results poll={view.poll} face={face} fresh={fresh} />
      )}
      <p className="sr-only" aria-live="polite">
        {fresh ? spoken(view.poll, face) : ''}
      </p>
      {refused !== null && <Refusal poll={view.poll} op={refused} />}
    </div>
  );
}

function spoken(poll: Poll, face: Face): string {
  if (face.kind === 'results') {
    return `${captionOf(poll, 1)} ${face.percent[1]} percent, ${captionOf(poll, 2)} ${face.percent[2]} percent.`;
  }
  if (face.kind === 'sending') return `You chose ${captionOf(poll, face.vote)}.`;
  if (face.kind === 'waiting') return `Your vote for ${captionOf(poll, face.vote)} waits to be sent.`;
  return '';
}
