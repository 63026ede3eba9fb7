import { captionOf } from '#app/features/polls/lib/card-state.ts';
import { useLocalImages } from '#app/features/polls/lib/local-images.ts';
import { OrBadge } from '#app/ui/or-badge.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { PollImage } from './poll-image.tsx';

type Props = {
  /** Null when this device does not know the poll. */
  poll: Poll | null;
  /** The op whose images wait on this device. */
  localOpId: string | null;
};

/** A poll's two images beside a line of text. */
export function SmallPair({ poll, localOpId }: Props) {
  const local = useLocalImages(localOpId);
  return (
    <div className="pair pair-small">
      {([1, 2] as const).map((option) => (
        <div key={option} className="pair-half" data-option={option}>
          <SmallImage poll={poll} option={option} local={local[option]} />
        </div>
      ))}
      <OrBadge />
    </div>
  );
}

function SmallImage({
  poll,
  option,
  local,
}: {
  poll: Poll | null;
  option: Option;
  local: string | undefined;
}) {
  if (poll !== null) {
    return (
      <PollImage
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
