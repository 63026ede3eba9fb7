import { ImagePlus, Pencil } from 'lucide-react';
import { useCallback } from 'react';
import { type ImageSlot, imageErrorOf, isChosen } from '#app/features/polls/lib/create-poll-form.ts';
import { FieldError } from '#app/ui/forms/field.tsx';
import { Icon, SpinnerIcon } from '#app/ui/icon.tsx';
import { OPTION_LETTERS, OptionLetter, OrBadge } from '#app/ui/option-letter.tsx';
import { CAPTION_MAX_LENGTH } from '#shared/polls/constants.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { ImageInput } from '#sync/client/outbox/poll-draft.ts';

type Props = {
  images: Record<Option, ImageSlot>;
  captions: Record<Option, string>;
  areMissing: boolean;
  isReadOnly: boolean;
  canPick: boolean;
  onPick(option: Option, file: File): void;
  onCaption(option: Option, caption: string): void;
};

const OPTIONS = [1, 2] as const;

export function ImageFields({ images, captions, areMissing, isReadOnly, canPick, onPick, onCaption }: Props) {
  const lengthLabels = OPTIONS.filter((option) => captions[option] !== '').map(
    (option) => `${OPTION_LETTERS[option]} ${captions[option].length} / ${CAPTION_MAX_LENGTH}`,
  );
  return (
    <div className="grid gap-2">
      <div className="pair">
        {OPTIONS.map((option) => (
          <ImageTile
            key={option}
            option={option}
            slot={images[option]}
            isMissing={areMissing && !isChosen(images[option])}
            canPick={canPick}
            onPick={onPick}
          />
        ))}
        <OrBadge />
      </div>
      {OPTIONS.map((option) => {
        const error = imageErrorOf(images[option]);
        return error !== null ? (
          <p key={option} role="alert">
            <FieldError>
              {OPTION_LETTERS[option]}: {error}
            </FieldError>
          </p>
        ) : null;
      })}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,8rem),1fr))] gap-1.5">
        {OPTIONS.map((option) => (
          <label
            key={option}
            className="flex h-12 min-w-0 items-center gap-2 rounded-control border border-edge bg-base-200 px-2.5 focus-within:outline-2 focus-within:outline-base-content"
          >
            <OptionLetter option={option} />
            <input
              value={captions[option]}
              maxLength={CAPTION_MAX_LENGTH}
              readOnly={isReadOnly}
              placeholder="Caption"
              aria-label={`Caption of option ${OPTION_LETTERS[option]}`}
              autoComplete="off"
              onChange={(event) => onCaption(option, event.target.value)}
              className="h-full w-full min-w-0 bg-transparent text-field outline-none placeholder:text-muted"
            />
          </label>
        ))}
      </div>
      <div className="flex flex-wrap justify-between gap-x-3 text-muted text-small">
        <p>JPG, PNG, GIF, max 5MB. {lengthLabels.length === 0 && 'Captions are optional.'}</p>
        <span className="figures">{lengthLabels.join(' · ')}</span>
      </div>
    </div>
  );
}

type TileProps = {
  option: Option;
  slot: ImageSlot;
  isMissing: boolean;
  canPick: boolean;
  onPick(option: Option, file: File): void;
};

/** The transparent file input covers the whole tile, so that taps, drops and the keyboard work natively. */
function ImageTile({ option, slot, isMissing, canPick, onPick }: TileProps) {
  const isInvalid = isMissing || imageErrorOf(slot) !== null;
  return (
    <div
      className="pair-half bg-base-200 has-focus-visible:outline-3 has-focus-visible:outline-base-content"
      data-option={option}
    >
      {slot.kind === 'ready' ? (
        <>
          <ChosenImage image={slot.image} alt={`Option ${OPTION_LETTERS[option]}`} />
          <span className="absolute bottom-2 left-2 grid size-10 place-items-center rounded-full bg-neutral text-neutral-content shadow-lifted">
            <Icon icon={Pencil} />
          </span>
        </>
      ) : (
        <div
          className={`grid h-full place-content-center justify-items-center gap-2 rounded-[inherit] border-2 border-dashed ${isInvalid ? 'border-error' : 'border-edge'}`}
        >
          {slot.kind === 'reading' ? (
            <SpinnerIcon size={24} />
          ) : (
            <>
              <span className="letter-tile">
                <OptionLetter option={option} />
              </span>
              <span className="flex flex-wrap items-center justify-center gap-x-1.5 text-center font-bold font-display text-label">
                <Icon icon={ImagePlus} className="max-xs:hidden" />
                Add image
              </span>
            </>
          )}
        </div>
      )}
      <input
        type="file"
        accept="image/*"
        aria-label={`${slot.kind === 'ready' ? 'Replace' : 'Add'} image ${OPTION_LETTERS[option]}`}
        aria-invalid={isInvalid}
        disabled={!canPick}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) onPick(option, file);
        }}
      />
    </div>
  );
}

/** Shows the image by an object URL, which is revoked when the element is removed. */
function ChosenImage({ image: { bytes, mime }, alt }: { image: ImageInput; alt: string }) {
  const showImage = useCallback(
    (image: HTMLImageElement) => {
      const url = URL.createObjectURL(new Blob([bytes], { type: mime }));
      image.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [bytes, mime],
  );
  return <img ref={showImage} alt={alt} className="pair-image" />;
}
