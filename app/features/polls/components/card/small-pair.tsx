import { captionOf } from '#app/features/polls/lib/card-state.ts';
import { useLocalPictures } from '#app/features/polls/lib/local-images.ts';
import { OrBadge } from '#app/ui/or-badge.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { PollPicture } from './poll-image.tsx';

type Props = {
  /** Null when this device does not know the poll. */
  poll: Poll | null;
  /** The op whose pictures wait on this device. */
  localOpId: string | null;
};

/** A poll's two pictures beside a line of text. */
export function SmallPair({ poll, localOpId }: Props) {
  const local = useLocalPictures(localOpId);
  return (
    <div className="pair pair-small">
      {([1, 2] as const).map((option) => (
        <div key={option} className="pair-half" data-option={option}>
          <Picture poll={poll} option={option} local={local[option]} />
        </div>
      ))}
      <OrBadge />
    </div>
  );
}

function Picture({ poll, option, local }: { poll: Poll | null; option: Option; local: string | undefined }) {
  if (poll !== null) {
    return (
      <PollPicture
        poll={poll}
        option={option}
        alt={captionOf(poll, option)}
        local={local}
        sizes="50px"
        priority
      />
    );
  }
  if (local === undefined) return <div className="pair-picture" />;
  return <img className="pair-picture" src={local} alt={option === 1 ? 'Option A' : 'Option B'} />;
}
