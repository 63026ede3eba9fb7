import { ChevronLeft, ChevronRight, ImageOff, X } from 'lucide-react';
import { memo, useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { BulkFile } from '#app/features/admin/atoms.ts';
import { moveFile, removeFile } from '#app/features/admin/lib/bulk-actions.ts';
import { Icon } from '#app/ui/icon.tsx';
import { OrBadge } from '#app/ui/option-letter.tsx';

/** The chosen images in the pairs that become polls, with buttons to reorder and remove them. */
export function BulkPairs({ files }: { files: readonly BulkFile[] }) {
  const list = useRef<HTMLOListElement>(null);
  /** The new index of the image moved last; null after a removal. */
  const [movedTo, setMovedTo] = useState<number | null>(null);

  const remove = useCallback((id: number, index: number) => {
    flushSync(() => {
      removeFile(id);
      setMovedTo(null);
    });
    // Moves the focus to the image that is now at this index.
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>('[data-remove]') ?? [];
    buttons[Math.min(index, buttons.length - 1)]?.focus();
  }, []);

  const move = useCallback((id: number, step: -1 | 1) => {
    flushSync(() => setMovedTo(moveFile(id, step)));
    // The focus follows the moved image.
    const controls = list.current?.querySelector(`[data-file="${id}"]`);
    const buttons = controls?.querySelectorAll<HTMLButtonElement>('[data-step]:enabled') ?? [];
    const sameStep = [...buttons].find((button) => button.dataset.step === String(step));
    (sameStep ?? buttons[0])?.focus();
  }, []);

  return (
    <>
      <ol
        ref={list}
        aria-label="Chosen images, in pairs"
        className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-5 gap-y-4"
      >
        {Array.from({ length: Math.ceil(files.length / 2) }, (_, pair) => {
          const [first, second] = files.slice(pair * 2, pair * 2 + 2);
          return first === undefined ? null : (
            <Pair
              key={first.id}
              first={first}
              second={second ?? null}
              index={pair * 2}
              count={files.length}
              onMove={move}
              onRemove={remove}
            />
          );
        })}
      </ol>
      <p role="status" className="sr-only">
        {movedTo !== null && `Now number ${movedTo + 1} of ${files.length}`}
      </p>
    </>
  );
}

type PairProps = {
  first: BulkFile;
  second: BulkFile | null;
  /** The index of `first`. */
  index: number;
  count: number;
  onMove(id: number, step: -1 | 1): void;
  onRemove(id: number, index: number): void;
};

/** Memoised, because up to a hundred thumbnails are added one by one. */
const Pair = memo(function Pair({ first, second, index, count, onMove, onRemove }: PairProps) {
  return (
    <li
      aria-label={`Poll ${index / 2 + 1}`}
      className="grid grid-cols-2 gap-x-1.5 [contain-intrinsic-size:auto_14rem] [content-visibility:auto]"
    >
      <div className="pair col-span-2">
        <PairHalf file={first} option={1} />
        <PairHalf file={second} option={2} />
        <OrBadge />
      </div>
      <FileControls
        file={first}
        index={index}
        isLast={index === count - 1}
        onMove={onMove}
        onRemove={onRemove}
      />
      {second !== null && (
        <FileControls
          file={second}
          index={index + 1}
          isLast={index + 1 === count - 1}
          onMove={onMove}
          onRemove={onRemove}
        />
      )}
    </li>
  );
});

function PairHalf({ file, option }: { file: BulkFile | null; option: 1 | 2 }) {
  if (file === null) {
    return <div className="pair-half border-2 border-edge border-dashed" data-option={option} />;
  }
  return (
    <div className="pair-half" data-option={option}>
      {file.thumbnailUrl === null ? (
        <div className="pair-image grid place-items-center text-muted">
          <Icon icon={ImageOff} size={24} />
        </div>
      ) : (
        <img src={file.thumbnailUrl} alt="" decoding="async" className="pair-image" />
      )}
    </div>
  );
}

const BUTTON_CLASSES =
  'grid h-11 flex-1 cursor-pointer place-items-center rounded-full hover:bg-base-300 disabled:cursor-default disabled:opacity-30';

type FileControlsProps = Pick<PairProps, 'index' | 'onMove' | 'onRemove'> & {
  file: BulkFile;
  isLast: boolean;
};

function FileControls({ file: { id, file }, index, isLast, onMove, onRemove }: FileControlsProps) {
  const name = `${index + 1}: ${file.name}`;
  return (
    <div data-file={id} className="min-w-0 pt-1.5">
      <p className="truncate px-1 text-small" title={file.name}>
        <span className="figures font-bold">{index + 1}</span> <span className="text-muted">{file.name}</span>
      </p>
      <div className="flex">
        {([-1, 1] as const).map((step) => (
          <button
            key={step}
            type="button"
            data-step={step}
            aria-label={`${step === -1 ? 'Earlier' : 'Later'}, ${name}`}
            disabled={step === -1 ? index === 0 : isLast}
            onClick={() => onMove(id, step)}
            className={BUTTON_CLASSES}
          >
            <Icon icon={step === -1 ? ChevronLeft : ChevronRight} />
          </button>
        ))}
        <button
          type="button"
          data-remove
          aria-label={`Remove, ${name}`}
          onClick={() => onRemove(id, index)}
          className={`${BUTTON_CLASSES} text-error`}
        >
          <Icon icon={X} />
        </button>
      </div>
    </div>
  );
}
