import { useState } from 'react';
import { useOnline } from '#app/lib/online.ts';
import { usePreview } from '#app/lib/preview.ts';
import { LETTERS, Letter } from '#app/ui/letter.tsx';
import { IMAGE_LARGE_PX, IMAGE_SMALL_PX, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { imagePath } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';

type Props = {
  poll: Poll;
  option: Option;
  alt: string;
  /** An object URL that stands in for the server's picture. */
  local: string | undefined;
  sizes: string;
  priority: boolean;
};

/** How wide the two stored sizes are, measured across the shorter side, which fills the square. */
function sourceSet(path: string, size: Poll['option1Size']): string | undefined {
  if (!path.startsWith('/uploads/')) return undefined;
  const shape = size === null ? 1 : Math.min(size.width, size.height) / Math.max(size.width, size.height);
  const small = Math.max(1, Math.round(IMAGE_SMALL_PX * shape));
  const large = Math.max(small + 1, Math.round(IMAGE_LARGE_PX * shape));
  return `${path}?w=${IMAGE_SMALL_PX} ${small}w, ${path} ${large}w`;
}

/** One picture of a poll: its preview while it loads, a lettered tile when it is missing. */
export function PollPicture({ poll, option, alt, local, sizes, priority }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  const stored = option === 1 ? poll.option1Image : poll.option2Image;
  const size = option === 1 ? poll.option1Size : poll.option2Size;
  const preview = usePreview(option === 1 ? poll.option1Preview : poll.option2Preview);
  const path = local ?? (stored === '' ? '' : imagePath(stored));
  // A picture that failed is asked for again when the network comes back.
  const attempt = `${path} ${useOnline()}`;
  const isMissing = attempt === failed || (PLACEHOLDER_IMAGES as readonly string[]).includes(path);

  if (path === '') return <div className="pair-picture" />;
  if (isMissing) return <MissingPicture option={option} />;
  return (
    <img
      className="pair-picture"
      src={path}
      srcSet={local === undefined ? sourceSet(path, size) : undefined}
      sizes={sizes}
      alt={alt}
      width={size?.width}
      height={size?.height}
      decoding="async"
      loading={priority ? 'eager' : 'lazy'}
      fetchPriority={priority ? 'high' : 'auto'}
      draggable={false}
      onError={() => setFailed(attempt)}
      style={preview === null ? undefined : { backgroundImage: `url("${preview}")` }}
    />
  );
}

function MissingPicture({ option }: { option: Option }) {
  return (
    <div className="pair-picture grid place-content-center justify-items-center gap-2">
      <span className="letter-large">
        <Letter option={option} />
      </span>
      <span className="font-semibold text-body text-muted">Option {LETTERS[option]}</span>
    </div>
  );
}
