import { usePageTitle } from '#app/lib/navigation/page-title.ts';
import { paths } from '#app/paths.ts';
import { PrimaryLink } from '#app/ui/button.tsx';

/** The wording of the heading and of the hint is required (docs/spec-coverage.md). */
export function NotFoundRoute() {
  usePageTitle('404');
  return (
    <section className="mx-auto grid max-w-72 gap-2 pt-20 text-center">
      <div className="pair pair-ground-page pair-404" aria-hidden="true">
        <div className="pair-half bg-base-100 shadow-card" data-option={1}>
          4
        </div>
        <div className="pair-half bg-base-100 shadow-card" data-option={2}>
          4
        </div>
        <span className="pair-or">0</span>
      </div>
      <h1 className="pt-5 text-[1.5rem] leading-[1.75rem]">404 Page Not Found</h1>
      <p className="text-field text-muted">Did you forget to add the page to the router?</p>
      <PrimaryLink to={paths.home.href()} className="mt-3">
        Back to the polls
      </PrimaryLink>
    </section>
  );
}
