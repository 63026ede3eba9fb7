import { captionOf } from '#app/features/polls/lib/card-state.ts';
import { Letter } from '#app/ui/letter.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';

type Props = {
  poll: Poll;
  /** The vote that can be changed; its own key is quiet. */
  chosen: Option | null;
  onVote(option: Option, from: Element): void;
};

/** The two keys under the images. */
export function VoteKeys({ poll, chosen, onVote }: Props) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,7.5rem),1fr))] gap-1.5">
      {([1, 2] as const).map((option) => (
        <button
          key={option}
          type="button"
          className="key key-option relative z-1 min-w-0"
          data-option={option}
          data-chosen={chosen === option ? '' : undefined}
          aria-pressed={chosen === null ? undefined : chosen === option}
          onClick={(event) => onVote(option, event.currentTarget)}
        >
          <Letter option={option} chosen={chosen === option} />
          <span className="line-clamp-2 in-data-[poll-detail]:line-clamp-none min-w-0 hyphens-auto [overflow-wrap:anywhere]">
            {captionOf(poll, option)}
          </span>
        </button>
      ))}
    </div>
  );
}
