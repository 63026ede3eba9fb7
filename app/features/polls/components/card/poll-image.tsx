import { useState } from 'react';
import { usePreview } from '#app/features/polls/hooks/use-preview.ts';
import { sourceSet } from '#app/features/polls/lib/image-sources.ts';
import { useOnline } from '#app/lib/engine/online.ts';
import { OPTION_LETTERS, OptionLetter } from '#app/ui/option-letter.tsx';
import { IMAGE_PATH_PREFIX, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { normalizeImagePath, smallImagePath } from '#shared/polls/rules.ts';
import type { Option, Poll, PollSummary } from '#shared/polls/schema.ts';

/** The fields of a poll that its images need. */
export type PollWithImages = PollSummary &
  Partial<Pick<Poll, 'option1Size' | 'option2Size' | 'rev' | 'removedFor'>>;

type Props = {
  poll: PollWithImages;
  option: Option;
  alt: string;
  /** The object URL of an image that has not been uploaded yet. */
  localUrl: string | undefined;
  sizes: string;
  priority: boolean;
};

/** One image of a poll: its preview while it loads, or the letter of the option when it is missing. */
export function PollImage({ poll, option, alt, localUrl, sizes, priority }: Props) {
  const [failures, setFailures] = useState<{ attempt: string; urls: readonly string[] } | null>(null);
  const [loadedPath, setLoadedPath] = useState<string | null>(null);
  const storedPath = option === 1 ? poll.option1Image : poll.option2Image;
  const size = (option === 1 ? poll.option1Size : poll.option2Size) ?? null;
  const preview = usePreview(option === 1 ? poll.option1Preview : poll.option2Preview);
  const path = localUrl ?? (storedPath === '' ? '' : normalizeImagePath(storedPath));
  // Failed images are requested again whenever the browser goes online or offline.
  const attempt = `${path} ${useOnline()}`;
  const isUploaded = localUrl === undefined && path.startsWith(IMAGE_PATH_PREFIX);
  const failedUrls = failures?.attempt === attempt ? failures.urls : [];
  // Of the two sizes of an uploaded image only one may be cached.
  const allUrls = isUploaded ? [path, smallImagePath(path)] : [path];
  const urls = allUrls.filter((url) => !failedUrls.includes(url));
  const [url] = urls;
  // The job that repairs images puts a placeholder in place of a lost image. Cards show the option's letter instead.
  const isPlaceholder = (PLACEHOLDER_IMAGES as readonly string[]).includes(path);

  // The poll has not been sent yet: its images are being read from the device.
  if (path === '' && poll.rev === 0) return <div className="pair-image" />;
  // The server does not serve the images of a removed poll.
  const isWithheld = poll.removedFor !== undefined;
  if (path === '' || url === undefined || isPlaceholder || isWithheld)
    return <MissingImage option={option} />;
  return (
    <img
      ref={preview.ref}
      className="pair-image"
      src={url}
      // Without `srcset` once one of the two sizes has failed.
      srcSet={isUploaded && urls.length === 2 ? sourceSet(path, size) : undefined}
      sizes={sizes}
      alt={alt}
      width={size?.width}
      height={size?.height}
      decoding="async"
      loading={priority ? 'eager' : 'lazy'}
      fetchPriority={priority ? 'high' : 'auto'}
      draggable={false}
      onError={({ currentTarget }) => {
        const failedUrl = urls.find((imageUrl) => currentTarget.currentSrc.endsWith(imageUrl)) ?? url;
        setFailures({ attempt, urls: [...failedUrls, failedUrl] });
      }}
      onLoad={() => setLoadedPath(path)}
      // The preview is removed once the image has loaded, since the image may be transparent.
      style={
        preview.url === null || loadedPath === path ? undefined : { backgroundImage: `url("${preview.url}")` }
      }
    />
  );
}

function MissingImage({ option }: { option: Option }) {
  return (
    <div className="pair-image grid place-content-center justify-items-center gap-2">
      <span className="letter-large">
        <OptionLetter option={option} />
      </span>
      <span className="font-semibold text-body text-muted">Option {OPTION_LETTERS[option]}</span>
    </div>
  );
}
