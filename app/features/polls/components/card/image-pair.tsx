import { Check } from 'lucide-react';
import { OrBadge } from '#app/ui/option-letter.tsx';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';
import { PollImage, type PollWithImages } from './poll-image.tsx';

type Props = {
  poll: PollWithImages;
  /** The option whose image is lifted and, with `hasTick`, ticked. */
  chosen: Option | null;
  /** Whether the image that was not chosen is faded. */
  fadesOther?: boolean;
  hasTick?: boolean;
  /** Object URLs of images that have not been uploaded yet. */
  localUrls?: Partial<Record<Option, string>>;
  sizes: string;
  priority?: boolean;
};

/** The two images of a poll with the "or" badge between them. */
export function ImagePair(props: Props) {
  const { poll, chosen, fadesOther = true, hasTick = true, localUrls = {}, sizes, priority = false } = props;
  const unchosenAttribute = fadesOther ? 'no' : undefined;
  return (
    <div className="pair">
      {([1, 2] as const).map((option) => (
        <div
          key={option}
          className="pair-half"
          data-option={option}
          data-chosen={chosen === null ? undefined : chosen === option ? 'yes' : unchosenAttribute}
        >
          <PollImage
            poll={poll}
            option={option}
            alt={captionOf(poll, option)}
            localUrl={localUrls[option]}
            sizes={sizes}
            priority={priority}
          />
          {hasTick && (
            <span className="pair-tick" aria-hidden="true">
              <Check size={20} strokeWidth={2.6} />
            </span>
          )}
        </div>
      ))}
      <OrBadge />
    </div>
  );
}
