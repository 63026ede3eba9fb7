import { useState } from 'react';
import { IMAGE_SMALL_PX, PLACEHOLDER_IMAGES } from '#shared/polls/constants.ts';
import { imagePath } from '#shared/polls/rules.ts';
import type { Poll } from '#shared/polls/schema.ts';

/** A poll's two pictures, small beside its question, which says enough for those who do not see them. */
export function PollThumbs({ poll }: { poll: Poll }) {
  return (
    <span className="grid w-[5.5rem] shrink-0 grid-cols-2 gap-0.5" aria-hidden="true">
      <Thumb key={poll.option1Image} path={poll.option1Image} placeholder={PLACEHOLDER_IMAGES[0]} side="l" />
      <Thumb key={poll.option2Image} path={poll.option2Image} placeholder={PLACEHOLDER_IMAGES[1]} side="r" />
    </span>
  );
}

const ROUNDED = { l: 'rounded-l-[12px] rounded-r-inner', r: 'rounded-l-inner rounded-r-[12px]' };

type ThumbProps = { path: string; placeholder: string; side: 'l' | 'r' };

function Thumb({ path, placeholder, side }: ThumbProps) {
  const [isLost, setLost] = useState(path === '');
  const address = isLost ? placeholder : imagePath(path);
  return (
    <img
      src={address.startsWith('/uploads/') ? `${address}?w=${IMAGE_SMALL_PX}` : address}
      alt=""
      width={44}
      height={44}
      loading="lazy"
      decoding="async"
      onError={() => setLost(true)}
      className={`aspect-square w-full bg-base-300 object-cover ${ROUNDED[side]}`}
    />
  );
}
