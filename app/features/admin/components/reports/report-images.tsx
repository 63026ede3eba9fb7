import { Eye } from 'lucide-react';
import { useState } from 'react';
import { smallImageUrl } from '#app/features/admin/lib/small-image-url.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { Icon } from '#app/ui/icon.tsx';
import { OptionLetter, OrBadge } from '#app/ui/option-letter.tsx';
import type { ReportedPoll } from '#shared/admin/schema.ts';
import { PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { captionOf } from '#shared/polls/rules.ts';
import type { Option } from '#shared/polls/schema.ts';

/**
 * Both images of a reported poll. Images reported as nudity or violence are blurred until "Show images" is tapped. A removed poll
 * shows letters, because the server does not serve its images.
 */
export function ReportImages({ report: { poll, reasons } }: { report: ReportedPoll }) {
  const isRemoved = poll.removedFor !== undefined;
  const isSensitive =
    !isRemoved && reasons.some(({ reason }) => reason === 'nudity' || reason === 'violence');
  const [hasRevealed, setRevealed] = useState(false);
  const isShown = !isSensitive || hasRevealed;
  return (
    <div className="relative">
      <div className="pair">
        {([1, 2] as const).map((option) => (
          <div key={option} className="pair-half overflow-hidden" data-option={option}>
            {isRemoved ? (
              <div className="pair-image grid place-content-center">
                <span className="letter-large">
                  <OptionLetter option={option} />
                </span>
              </div>
            ) : (
              <ReportImage poll={poll} option={option} className={isShown ? '' : 'blur-lg'} />
            )}
          </div>
        ))}
        <OrBadge />
      </div>
      {!isShown && (
        <button
          type="button"
          className="btn btn-neutral absolute inset-x-0 bottom-3 z-1 mx-auto w-fit"
          onClick={() => setRevealed(true)}
        >
          <Icon icon={Eye} size={16} /> Show images
        </button>
      )}
    </div>
  );
}

type ReportImageProps = { poll: ReportedPoll['poll']; option: Option; className: string };

function ReportImage({ poll, option, className }: ReportImageProps) {
  const [failedAttempt, setFailedAttempt] = useState<string | null>(null);
  const path = option === 1 ? poll.option1Image : poll.option2Image;
  // A failed image is requested again once the browser is online again.
  const attempt = `${path} ${useOnline()}`;
  const isMissing = failedAttempt === attempt;
  return (
    <img
      src={isMissing ? PLACEHOLDER_IMAGES[option - 1] : smallImageUrl(path)}
      alt={isMissing ? 'Image missing' : captionOf(poll, option)}
      loading="lazy"
      decoding="async"
      onError={() => setFailedAttempt(attempt)}
      className={`pair-image ${className}`}
    />
  );
}
