import { OrBadge } from '#app/ui/or-badge.tsx';

export function PollDetailSkeleton() {
  return (
    <div role="status" className="mx-auto w-full max-w-[35rem] pt-3 md:pt-16">
      <span className="sr-only">Loading the poll</span>
      <div className="mx-1 mb-4 h-7 w-4/5 rounded-full bg-base-300" />
      <div className="pair pair-ground-page">
        <div className="pair-half bg-base-300" data-option={1} />
        <div className="pair-half bg-base-300" data-option={2} />
        <OrBadge pale />
      </div>
      <div className="grid grid-cols-2 gap-1.5 pt-2">
        <div className="h-14 rounded-key bg-base-300" />
        <div className="h-14 rounded-key bg-base-300" />
      </div>
    </div>
  );
}
