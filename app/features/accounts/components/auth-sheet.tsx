import { type ReactNode, useEffect } from 'react';
import { focusAwaitedMain } from '#app/lib/focus-main.ts';
import { SidePanel } from './side-panel.tsx';

/** What visitors see: the lemon panel, and the form on a sheet beside it or below. */
export function AuthSheet({ children }: { children: ReactNode }) {
  useEffect(focusAwaitedMain, []);
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[minmax(0,12fr)_minmax(0,13fr)]">
      <SidePanel />
      <main
        id="main"
        tabIndex={-1}
        className="relative rounded-t-card bg-base-100 px-5 pt-4 pb-8 max-md:-mt-6 max-md:min-h-[calc(100dvh-14rem)] md:grid md:content-center md:rounded-none md:bg-base-200 md:px-8"
      >
        <div className="mx-auto w-full max-w-96">{children}</div>
      </main>
    </div>
  );
}
