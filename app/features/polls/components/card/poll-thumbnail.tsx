import { useLocalImages } from '#app/features/polls/hooks/use-local-images.ts';
import { captionOf } from '#app/features/polls/lib/card-state.ts';
import { OrBadge } from '#app/ui/option-letter.tsx';
import type { Option, Poll } from '#shared/polls/schema.ts';
import { PollImage } from './poll-image.tsx';

type Props = {
  /** Null when the poll is not on this device. */
  poll: Poll | null;
  /** The op of a poll that has not been uploaded yet. */
  createOpId: string | null;
};

export function PollThumbnail({ poll, createOpId }: Props) {
  const localUrls = useLocalImages(createOpId);
  return (
    <div className="pair pair-small">
      {([1, 2] as const).map((option) => (
        <div key={option} className="pair-half" data-option={option}>
          <Half poll={poll} option={option} localUrl={localUrls[option]} />
        </div>
      ))}
      <OrBadge />
    </div>
  );
}

type HalfProps = { poll: Poll | null; option: Option; localUrl: string | undefined };

function Half({ poll, option, localUrl }: HalfProps) {
  if (poll !== null) {
    return (
      <PollImage
        poll={poll}
        option={option}
        alt={captionOf(poll, option)}
        localUrl={localUrl}
        sizes="50px"
        priority
      />
    );
  }
  if (localUrl === undefined) return <div className="pair-image" />;
  return <img className="pair-image" src={localUrl} alt={option === 1 ? 'Option A' : 'Option B'} />;
}
