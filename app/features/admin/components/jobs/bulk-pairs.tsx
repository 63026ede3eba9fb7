import { ChevronLeft, ChevronRight, ImageOff, X } from 'lucide-react';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { BulkFile } from '#app/features/admin/atoms.ts';
import { moveFile, removeFile } from '#app/features/admin/lib/bulk-actions.ts';
import { Icon } from '#app/ui/icon.tsx';
import { OrBadge } from '#app/ui/or-badge.tsx';

type Move = { id: number; step: -1 | 1; place: number };

/** The chosen pictures as the polls that they become: 1 with 2, 3 with 4. Buttons change their order. */
export function BulkPairs({ files }: { files: readonly BulkFile[] }) {
  const list = useRef<HTMLOListElement>(null);
  const [last, setLast] = useState<Move | null>(null);
  const [removed, setRemoved] = useState<{ place: number } | null>(null);

  // The picture that was moved takes its buttons along, and with them the focus.
  useEffect(() => {
    if (last === null) return;
    const tile = list.current?.querySelector(`[data-file="${last.id}"]`);
    const buttons = tile?.querySelectorAll<HTMLButtonElement>('[data-step]:enabled') ?? [];
    const same = [...buttons].find((button) => button.dataset.step === String(last.step));
    (same ?? buttons[0])?.focus();
  }, [last]);

  // The picture that takes the place of the removed one takes the focus, too.
  useEffect(() => {
    if (removed === null) return;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>('[data-remove]') ?? [];
    buttons[Math.min(removed.place, buttons.length - 1)]?.focus();
  }, [removed]);

  const remove = useCallback((id: number, place: number) => {
    removeFile(id);
    setRemoved({ place });
    setLast(null);
  }, []);

  const move = useCallback((id: number, step: -1 | 1) => {
    setLast({ id, step, place: moveFile(id, step) });
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
              place={pair * 2}
              count={files.length}
              onMove={move}
              onRemove={remove}
            />
          );
        })}
      </ol>
      <p role="status" className="sr-only">
        {last !== null && `Now number ${last.place + 1} of ${files.length}`}
      </p>
    </>
  );
}

type PairProps = {
  first: BulkFile;
  second: BulkFile | null;
  /** That of the first, from 0. */
  place: number;
  count: number;
  onMove(id: number, step: -1 | 1): void;
  onRemove(id: number, place: number): void;
};

/** Drawn anew only when it has changed: while a hundred pictures are being read, each tells on its own. */
const Pair = memo(function Pair({ first, second, place, count, onMove, onRemove }: PairProps) {
  return (
    <li
      aria-label={`Poll ${place / 2 + 1}`}
      className="grid grid-cols-2 gap-x-1.5 [contain-intrinsic-size:auto_14rem] [content-visibility:auto]"
    >
      <div className="pair col-span-2">
        <Half file={first} option={1} />
        <Half file={second} option={2} />
        <OrBadge />
      </div>
      <Tile file={first} place={place} isLast={place === count - 1} onMove={onMove} onRemove={onRemove} />
      {second !== null && (
        <Tile
          file={second}
          place={place + 1}
          isLast={place + 1 === count - 1}
          onMove={onMove}
          onRemove={onRemove}
        />
      )}
    </li>
  );
});

function Half({ file, option }: { file: BulkFile | null; option: 1 | 2 }) {
  if (file === null) {
    return <div className="pair-half border-2 border-edge border-dashed" data-option={option} />;
  }
  return (
    <div className="pair-half" data-option={option}>
      {file.thumb === null ? (
        <div className="pair-picture grid place-items-center text-muted">
          <Icon of={ImageOff} size={24} />
        </div>
      ) : (
        <img src={file.thumb} alt="" decoding="async" className="pair-picture" />
      )}
    </div>
  );
}

const BUTTON =
  'grid h-11 flex-1 cursor-pointer place-items-center rounded-full hover:bg-base-300 disabled:cursor-default disabled:opacity-30';

type TileProps = Pick<PairProps, 'place' | 'onMove' | 'onRemove'> & { file: BulkFile; isLast: boolean };

function Tile({ file: { id, file }, place, isLast, onMove, onRemove }: TileProps) {
  const name = `${place + 1}: ${file.name}`;
  return (
    <div data-file={id} className="min-w-0 pt-1.5">
      <p className="truncate px-1 text-small" title={file.name}>
        <span className="figures font-bold">{place + 1}</span> <span className="text-muted">{file.name}</span>
      </p>
      <div className="flex">
        <button
          type="button"
          data-step={-1}
          aria-label={`Earlier, ${name}`}
          disabled={place === 0}
          onClick={() => onMove(id, -1)}
          className={BUTTON}
        >
          <Icon of={ChevronLeft} />
        </button>
        <button
          type="button"
          data-step={1}
          aria-label={`Later, ${name}`}
          disabled={isLast}
          onClick={() => onMove(id, 1)}
          className={BUTTON}
        >
          <Icon of={ChevronRight} />
        </button>
        <button
          type="button"
          data-remove
          aria-label={`Remove, ${name}`}
          onClick={() => onRemove(id, place)}
          className={`${BUTTON} text-error`}
        >
          <Icon of={X} />
        </button>
      </div>
    </div>
  );
}
