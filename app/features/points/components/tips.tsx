import { Compass, Lightbulb } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '#app/paths.ts';
import { Icon } from '#app/ui/icon.tsx';
import { TIPS } from './point-facts.ts';

export function Tips() {
  return (
    <section>
      <h2 className="feed-heading text-question">Tips</h2>
      <div className="grid gap-4 rounded-card bg-base-100 p-4 shadow-card">
        <ul className="grid gap-3">
          {TIPS.map((tip) => (
            <li key={tip} className="flex gap-3 text-body">
              <Icon of={Lightbulb} className="text-muted" />
              {tip}
            </li>
          ))}
        </ul>
        <Link
          to={paths.explore.href()}
          className="btn h-auto min-h-12 py-1 gap-2 border-0 bg-base-300 text-body"
        >
          <Icon of={Compass} /> Start Exploring
        </Link>
      </div>
    </section>
  );
}
