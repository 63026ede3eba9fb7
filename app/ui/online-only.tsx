import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useReachable } from '#app/lib/engine/online.ts';
import { Icon } from './icon.tsx';

/** Says that something here needs a connection, while there is none. */
export function OnlineOnly({ className = '', children }: { className?: string; children: ReactNode }) {
  const isReachable = useReachable();
  return (
    <div role="status" className={`empty:hidden ${className}`}>
      {!isReachable && (
        <p className="flex items-center gap-2 rounded-key bg-base-300 px-3.5 py-3 text-body">
          <Icon of={WifiOff} size={16} />
          {children}
        </p>
      )}
    </div>
  );
}
