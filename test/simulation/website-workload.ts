import { DnsStandIn } from '../../examples/website/dns.ts';
import { Websites, website } from '../../examples/website/website.ts';
import { ConfigMaps, Deployments, Secrets, Services } from '../../lib/index.ts';
import type { ClusterView, User } from '../../lib/testing/index.ts';

const namespace = 'default';
const password = { namespace, name: 'password' };
const named = (user: User) => ({ namespace, name: user.pick(['a', 'b']) });
const spec = (user: User, name: string) => ({
  host: `${name}.example.com`,
  html: user.pick(['<h1>Open</h1>', '<h1>Closed</h1>']),
  ...(user.pick([true, false]) && { passwordSecret: 'password' }),
});

/** What is wrong at rest, computed only from the objects and the records. */
function faults(cluster: ClusterView, { records }: DnsStandIn): string[] {
  const websites = cluster.list(Websites);
  const hasPassword = (cluster.get(Secrets, password)?.data as { password?: string })?.password !== undefined;
  const hosts = websites.map(({ spec }) => (spec as { host: string }).host);
  // A restored cluster does not know what it lost.
  const known = cluster.restored ? [] : [...records.keys()];
  const orphans = known.filter((host) => !hosts.includes(host)).map((host) => `${host} is left in the DNS`);
  const wrong = websites.flatMap(({ metadata, spec, status }) => {
    const { host, html, passwordSecret } = spec as { host: string; html: string; passwordSecret?: string };
    if (passwordSecret !== undefined && !hasPassword) return [];
    const name = { namespace, name: metadata.name };
    const found = (cluster.get(ConfigMaps, name)?.data as Record<string, string> | undefined)?.['index.html'];
    return [
      ...(found === html ? [] : [`${metadata.name} shows ${found} instead of ${html}`]),
      ...[Services, Deployments].flatMap((type) => (cluster.get(type, name) === undefined ? [`no ${type.kind}`] : [])),
      ...(records.get(host) === metadata.name ? [] : [`${host} is not in the DNS`]),
      ...((status as { url?: string } | undefined)?.url === `https://${host}` ? [] : [`${metadata.name} has no url`]),
    ];
  });
  return [...orphans, ...wrong];
}

/** Users, faults and what must be right at rest. Everything is new for each history. */
export function websiteWorkload() {
  const dns = new DnsStandIn();
  const put = (user: User, name: { name: string }) =>
    user.put(Websites, { metadata: { ...name, namespace }, spec: spec(user, name.name) });
  return {
    controllers: ({ reach }: { reach: <Client extends object>(client: Client, name: string) => Client }) => [
      website(reach(dns, 'dns')),
    ],
    definitions: [Websites.definition],
    actions: {
      'writes a website': (user: User) => put(user, named(user)),
      'deletes a website': (user: User) => user.remove(Websites, named(user)),
      'writes the password': (user: User) =>
        user.put(Secrets, { metadata: password, stringData: { password: user.pick(['x', 'y']) } }),
      'deletes the password': (user: User) => user.remove(Secrets, password),
      'edits the pages by hand': (user: User) => user.edit(ConfigMaps, named(user), { data: { 'index.html': 'x' } }),
      'deletes a Deployment': (user: User) => user.remove(Deployments, named(user)),
    },
    check: (cluster: ClusterView) => faults(cluster, dns),
  };
}
