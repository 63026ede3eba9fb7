import { useAtom } from 'jotai';
import { X } from 'lucide-react';
import { updateAtom } from '#app/lib/updates/update-offer.ts';
import { Key } from '#app/ui/button.tsx';
import { Icon } from '#app/ui/icon.tsx';

export function UpdatePrompt() {
  const [update, setUpdate] = useAtom(updateAtom);
  if (update === null) return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex animate-enter items-center gap-2 rounded-picture border border-base-300 bg-base-100 py-2 pr-1.5 pl-4 shadow-floating"
    >
      <p className="flex-1 font-display font-bold text-key">
        {update.isUnderWay ? 'Bringing the new version…' : 'A new version is ready'}
      </p>
      <Key onClick={update.bring} disabled={update.isUnderWay}>
        {update.label}
      </Key>
      {!update.isUnderWay && (
        <button
          type="button"
          aria-label="Later"
          onClick={() => setUpdate(null)}
          className="grid size-11 cursor-pointer place-items-center rounded-full"
        >
          <Icon of={X} />
        </button>
      )}
    </div>
  );
}
