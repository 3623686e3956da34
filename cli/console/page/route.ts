import { useEffect, useState } from 'preact/hooks';

export interface Route {
  readonly page: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/**
 * The position in the page, from the part of the address after `#`. The browser does not send that part to the server.
 */
export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const onChange = () => {
      setRoute(current());
      // A long list may have been scrolled far.
      scrollTo(0, 0);
      document.querySelector<HTMLElement>('main')?.focus();
    };
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}

function current(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...parts] = path.split('/').map(decoded);
  return { page, parts, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function objectHref({
  kindId,
  namespace,
  name,
}: {
  readonly kindId: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `#/object/${[kindId, namespace, name].map(encodeURIComponent).join('/')}`;
}

export function listHref(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? '#/objects' : `#/objects?${text}`;
}
