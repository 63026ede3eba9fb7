import { OptionLetter } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option, PollSummary } from '#shared/polls/schema.ts';

type Props = {
  poll: PollSummary;
  /** The vote that is being changed; null for a first vote. */
  chosen: Option | null;
  onVote(option: Option, button: Element): void;
  className?: string;
};

export function VoteButtons({ poll, chosen, onVote, className = '' }: Props) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,7.5rem),1fr))] gap-1.5">
      {([1, 2] as const).map((option) => (
        <button
          key={option}
          type="button"
          className={`btn btn-primary btn-option relative z-1 min-w-0 ${className}`}
          data-option={option}
          data-chosen={chosen === option ? '' : undefined}
          aria-pressed={chosen === null ? undefined : chosen === option}
          onClick={(event) => onVote(option, event.currentTarget)}
        >
          <OptionLetter option={option} chosen={chosen === option} />
          <span
            dir="auto"
            className="line-clamp-2 in-data-[poll-detail]:line-clamp-none min-w-0 hyphens-auto [overflow-wrap:anywhere]"
          >
            {captionOf(poll, option)}
          </span>
        </button>
      ))}
    </div>
  );
}
