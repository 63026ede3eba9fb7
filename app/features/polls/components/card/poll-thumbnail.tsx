import { useLocalImageUrls } from '#app/features/polls/hooks/use-local-image-urls.ts';
import { OPTION_LETTERS, OrBadge } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import { PollImage, type PollWithImages } from './poll-image.tsx';

type Props = {
  /** Null when the poll is not on this device. */
  poll: PollWithImages | null;
  /** The id of the op that creates the poll, if it has not been uploaded yet. */
  createOpId?: string | null;
  /** Whether the thumbnail is sized for a row of a list. */
  isRow?: boolean;
};

export function PollThumbnail({ poll, createOpId = null, isRow = false }: Props) {
  const localUrls = useLocalImageUrls(createOpId);
  return (
    <div className={`pair pair-small pair-thumbnail ${isRow ? 'pair-row' : ''}`}>
      {([1, 2] as const).map((option) => (
        <div key={option} className="pair-half" data-option={option}>
          <ThumbnailHalf poll={poll} option={option} localUrl={localUrls[option]} />
        </div>
      ))}
      <OrBadge />
    </div>
  );
}

type ThumbnailHalfProps = { poll: PollWithImages | null; option: Option; localUrl: string | undefined };

function ThumbnailHalf({ poll, option, localUrl }: ThumbnailHalfProps) {
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
  return <img className="pair-image" src={localUrl} alt={`Option ${OPTION_LETTERS[option]}`} />;
}
