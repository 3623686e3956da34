import { render } from 'preact';
import type { ClusterView, DeadLetterView, Frame, ObjectPage, ObjectView, Overview } from '../api-types.ts';
import { ClusterPage } from './cluster-page.tsx';
import { DeadLettersPage } from './dead-letters-page.tsx';
import { ObjectPageView, objectAddress } from './object-page.tsx';
import { listAddress, ObjectsPage } from './objects-page.tsx';
import { OverviewPage } from './overview-page.tsx';
import { type Route, useRoute } from './route.ts';
import { useIsStale, useView } from './server.ts';
import { Text } from './text.tsx';

const PAGES: readonly (readonly [string, string])[] = [
  ['', 'Overview'],
  ['objects', 'Objects'],
  ['cluster', 'Cluster'],
  ['dead-letters', 'Dead letters'],
];

/** The address of the API that a page shows. */
function addressOf({ page, parts, query }: Route): string {
  switch (page) {
    case 'objects':
      return listAddress(query);
    case 'object':
      return objectAddress(parts);
    case 'cluster':
      return page;
    case 'dead-letters':
      return `dead-letters?${query}`;
    default:
      return 'overview';
  }
}

function Console() {
  const route = useRoute();
  const isStale = useIsStale();
  const loaded = useView<Frame>(addressOf(route));
  const { view, error } = loaded;
  return (
    <>
      <header>
        <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main')?.focus()}>
          Skip to the content
        </button>
        <strong>evenkeel</strong>
        {view !== undefined && (
          <span class="quiet">
            <Text of={view.stage === undefined ? view.cluster : `stage ${view.stage}, cluster ${view.cluster}`} />
            {view.readOnly && ' · read-only'}
          </span>
        )}
        <nav aria-label="Pages of the console">
          {PAGES.map(([page, title]) => (
            <a key={page} href={`#/${page}`} aria-current={isCurrent(route, page) ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      {isStale && (
        <p class="banner" role="alert">
          This page is of an older process.{' '}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      {error !== undefined && (
        <p class="banner" role="alert">
          <Text of={error} />
        </p>
      )}
      <main tabIndex={-1} aria-busy={view === undefined && error === undefined}>
        {view === undefined && error === undefined && <p class="quiet">Loading…</p>}
        <Page route={route} loaded={loaded} />
      </main>
    </>
  );
}

function isCurrent({ page }: Route, link: string): boolean {
  return page === link || (page === 'object' && link === 'objects');
}

function Page({ route, loaded }: { readonly route: Route; readonly loaded: ReturnType<typeof useView<Frame>> }) {
  // Each address of the API answers with its own view.
  const shown = loaded as object;
  switch (route.page) {
    case 'objects':
      return <ObjectsPage route={route} {...(shown as { view?: ObjectPage; aheadMs: number })} />;
    case 'object':
      return <ObjectPageView {...(shown as { view?: ObjectView; aheadMs: number })} />;
    case 'cluster':
      return <ClusterPage {...(shown as { view?: ClusterView; aheadMs: number })} />;
    case 'dead-letters':
      return <DeadLettersPage route={route} {...(shown as { view?: DeadLetterView; aheadMs: number })} />;
    default:
      return <OverviewPage {...(shown as { view?: Overview; aheadMs: number })} />;
  }
}

// The token has become a cookie: it need not stay in the address, where a screen shows it.
if (location.search !== '') history.replaceState(null, '', `/${location.hash}`);
const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
