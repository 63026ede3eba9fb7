import { useState } from 'react';
import { usePreview } from '#app/features/polls/lib/preview.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { LETTERS, Letter } from '#app/ui/letter.tsx';
import { IMAGE_LARGE_PX, IMAGE_SMALL_PX, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { imagePath } from '#shared/polls/rules.ts';
import type { Option, Poll } from '#shared/polls/schema.ts';

type Props = {
  poll: Poll;
  option: Option;
  alt: string;
  /** An object URL that stands in for the server's image. */
  local: string | undefined;
  sizes: string;
  priority: boolean;
};

/** An image from the server is there in two sizes, and without a network perhaps in one of them only. */
function addresses(path: string, isStored: boolean): string[] {
  return isStored ? [path, `${path}?w=${IMAGE_SMALL_PX}`] : [path];
}

/** How wide the two stored sizes are, measured across the shorter side, which fills the square. */
function sourceSet(path: string, size: Poll['option1Size']): string | undefined {
  const shape = size === null ? 1 : Math.min(size.width, size.height) / Math.max(size.width, size.height);
  const small = Math.max(1, Math.round(IMAGE_SMALL_PX * shape));
  const large = Math.max(small + 1, Math.round(IMAGE_LARGE_PX * shape));
  return `${path}?w=${IMAGE_SMALL_PX} ${small}w, ${path} ${large}w`;
}

/** One image of a poll: its preview while it loads, a lettered tile when it is missing. */
export function PollImage({ poll, option, alt, local, sizes, priority }: Props) {
  const [failed, setFailed] = useState<{ attempt: string; addresses: readonly string[] } | null>(null);
  const [loaded, setLoaded] = useState<string | null>(null);
  const stored = option === 1 ? poll.option1Image : poll.option2Image;
  const size = option === 1 ? poll.option1Size : poll.option2Size;
  const preview = usePreview(option === 1 ? poll.option1Preview : poll.option2Preview);
  const path = local ?? (stored === '' ? '' : imagePath(stored));
  // An image that failed is asked for again when the network comes back.
  const attempt = `${path} ${useOnline()}`;
  const isStored = local === undefined && path.startsWith('/uploads/');
  const lost = failed?.attempt === attempt ? failed.addresses : [];
  const left = addresses(path, isStored).filter((address) => !lost.includes(address));
  const [address] = left;
  const isPlaceholder = (PLACEHOLDER_IMAGES as readonly string[]).includes(path);

  // The image of a poll that waits to be sent takes a moment to be read.
  if (path === '' && poll.rev === 0) return <div className="pair-picture" />;
  if (path === '' || address === undefined || isPlaceholder) return <MissingImage option={option} />;
  return (
    <img
      className="pair-picture"
      src={address}
      srcSet={isStored && left.length === 2 ? sourceSet(path, size) : undefined}
      sizes={sizes}
      alt={alt}
      width={size?.width}
      height={size?.height}
      decoding="async"
      loading={priority ? 'eager' : 'lazy'}
      fetchPriority={priority ? 'high' : 'auto'}
      draggable={false}
      onError={({ currentTarget }) => {
        const wasLost = left.find((each) => currentTarget.currentSrc.endsWith(each)) ?? address;
        setFailed({ attempt, addresses: [...lost, wasLost] });
      }}
      onLoad={() => setLoaded(path)}
      // An image can be transparent.
      style={preview === null || loaded === path ? undefined : { backgroundImage: `url("${preview}")` }}
    />
  );
}

function MissingImage({ option }: { option: Option }) {
  return (
    <div className="pair-picture grid place-content-center justify-items-center gap-2">
      <span className="letter-large">
        <Letter option={option} />
      </span>
      <span className="font-semibold text-body text-muted">Option {LETTERS[option]}</span>
    </div>
  );
}
