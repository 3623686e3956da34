import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PageFiles, pageFiles } from '../../cli/console/page-files.ts';
import { type ServedConsole, serveConsole } from '../../cli/wiring-console.ts';
import { packageRoot } from '../../lib/deployment/package/package-root.ts';
import { type ConsoleWorld, consoleWorld, HOSTILE } from '../cli/console/console-world.ts';

/** Debian's package `chromium` installs it there. */
const CHROMIUM = process.env.EVENKEEL_CHROMIUM ?? '/usr/bin/chromium';
/** Set this variable to write docs/console/*.png again. */
const SCREENSHOTS = process.env.EVENKEEL_SCREENSHOTS === undefined ? undefined : join(packageRoot(), 'docs', 'console');
const WIDTHS = [375, 768, 1280];
const QUEUE = 'evenkeel-local-widgets-events-dead';

let browser: Browser;
let files: PageFiles;
let made: ConsoleWorld;
let served: ServedConsole;
let context: BrowserContext;
let page: Page;
/** What the browser must not do: report errors, or send requests to another server. */
const wrongs: string[] = [];

beforeAll(async () => {
  files = await pageFiles();
  // In containers the tests run as root, where Chromium's own sandbox cannot start.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser?.close();
});

beforeEach(async () => {
  made = await scene({});
  served = await serveConsole(made.source, files);
  await open(served.url);
});

afterEach(async () => {
  await context.close();
  await served.close();
  expect(wrongs.splice(0)).toEqual([]);
});

async function scene(options: Parameters<typeof consoleWorld>[0]): Promise<ConsoleWorld> {
  const letters = [
    {
      messageId: 'm-1',
      body: '{"cluster":"local","kind":"widgets.test.evenkeel.dev","namespace":"default","name":"web","cause":"updated"}',
      reason: 'Malformed: cause: is none that this release knows',
      sentAtMs: 1_767_225_000_000,
    },
    { messageId: 'm-2', body: 'x', reason: HOSTILE, sentAtMs: 1_767_225_100_000 },
  ];
  const world = await consoleWorld({ letters, ...options });
  const { store, clock } = world.world;
  await store.holdRelay('test', 'ip-10-0-0-1-4711', clock.now(), clock.now() + 60_000);
  await world.reconcile('web', { secret: 'token' });
  await world.reconcile('checkout', { secret: 'checkout-database' });
  await world.reconcile('payments', { ends: 'retry' });
  await world.reconcile('certificates', { ends: 'checkAt' });
  await world.reconcile('broken', { ends: 'terminal', message: HOSTILE });
  return world;
}

async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
  context = await browser.newContext(options);
  context.setDefaultTimeout(20_000);
  page = await context.newPage();
  const { host } = new URL(url);
  page.on('pageerror', (error) => wrongs.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser also reports a refused request there. Tests that cause one check the page instead.
    const { url: place } = message.location();
    if (message.type() === 'error' && !place.includes('/api/')) wrongs.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== 'data:' && asked.host !== host) wrongs.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function goTo(hash: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

const text = () => page.locator('main').textContent();

describe('the console in a browser', () => {
  it('R-6.10 the overview shows the objects by state, and the token leaves the address', async () => {
    expect(await page.getByRole('link', { name: 'Widget: failing: 2' }).textContent()).toBe('2');
    expect(await page.getByRole('link', { name: 'Widget: not ready: 1' }).count()).toBe(1);
    expect(await text()).toContain('Passes in the last minute');
    expect(page.url()).not.toContain('token=');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('R-6.10 a contract that is not ready leads to its cause in three clicks', async () => {
    await page.getByRole('link', { name: 'Widget: not ready: 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor();
    await page.getByRole('link', { name: 'default/checkout' }).click();
    await page.getByRole('heading', { level: 1, name: /default\/checkout/ }).waitFor();
    expect(await page.locator('#why .cause').textContent()).toBe(
      'Ready is False: the Secret checkout-database does not exist.',
    );
    expect(await page.locator('#why').textContent()).toContain('A pass starts when it is created.');
  });

  it('R-6.10 the list searches, filters and sorts on the server', async () => {
    await goTo('#/objects', 'Objects');
    await page.getByText('5 objects').waitFor();
    await page.getByLabel('Search').fill('PAY');
    await page.keyboard.press('Enter');
    await page.getByText('1 object', { exact: true }).waitFor();
    expect(await page.locator('tbody tr').textContent()).toContain('default/payments');
    await page.getByLabel('Search').fill('');
    await page.getByLabel('State').selectOption('failing');
    await page.getByText('2 objects').waitFor();
    await page.getByLabel('Sorted by').selectOption('failures');
    await page.locator('tbody tr').first().getByText('default/payments').waitFor();
  });

  it('R-6.10 an object counts its deadline down, and shows its failures and passes', async () => {
    await goTo('#/object/widgets.test.evenkeel.dev/default/payments', 'default/payments');
    const shown = await text();
    expect(shown).toContain('The last pass failed.');
    expect(shown).toContain('backoff after 1 failure');
    expect(shown).toMatch(/retry\s+ApiForbidden/);
    expect(await page.locator('.passes li').count()).toBe(1);
    expect(await page.locator('.countdown').textContent()).toMatch(/^(?:in \d+s|now|\d+s ago)$/);
  });

  it('R-6.10 a requeue is confirmed, taken and shown in the passes of the object', async () => {
    await goTo('#/object/widgets.test.evenkeel.dev/default/web', 'default/web');
    await page.getByRole('button', { name: 'Start a pass now' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const passes = made.world.reports.length;
    await made.world.drain();
    expect(made.world.reports).toHaveLength(passes);
    await page.getByRole('button', { name: 'Start a pass now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start a pass now' }).click();
    await page.getByText('A pass of Widget default/web was requested.').waitFor();
    await made.world.drain();
    await page.getByText('requested by ann@laptop').waitFor();
  });

  it('R-6.10 pause and resume are confirmed, taken and shown with who did it', async () => {
    await goTo('#/cluster', 'Cluster test');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Reconciliation is paused.').waitFor();
    await page.getByText('Paused by ann@laptop').waitFor();
    expect((await made.world.store.readCluster('test')).paused).toBe(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Objects are reconciled.').waitFor();
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it('R-6.10 the dead letters are shown with their reason and sent again when that is confirmed', async () => {
    await goTo('#/dead-letters', 'Dead letters');
    expect(await text()).toContain('Malformed: cause: is none that this release knows');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('There are no dead letters.').waitFor();
    expect(made.letters.sent).toEqual([`${QUEUE} m-1`, `${QUEUE} m-2`]);
  });

  it('R-6.10 the page updates by itself when an object changes', async () => {
    await goTo('#/objects?state=notReady', 'Objects');
    await page.getByText('1 object', { exact: true }).waitFor();
    await made.reconcile('later', { secret: 'absent' });
    await page.getByText('2 objects').waitFor();
    expect(await page.getByRole('link', { name: 'default/later' }).count()).toBe(1);
  });

  it('R-6.10 R-1.24 hostile text is shown as text, runs nothing and turns no line around', async () => {
    await goTo('#/object/widgets.test.evenkeel.dev/default/broken', 'default/broken');
    const why = await page.locator('#why').textContent();
    expect(why).toContain('<script>globalThis.wasRun = true</script>');
    expect(why).toContain('\\u202egnp.exe\\u0007');
    await goTo('#/dead-letters', 'Dead letters');
    expect(await text()).toContain('<img src=x');
    await goTo(`#/objects?text=${encodeURIComponent(HOSTILE)}`, 'Objects');
    expect(await page.getByLabel('Search').inputValue()).toContain('<script>');
    expect(await page.evaluate("'wasRun' in globalThis")).toBe(false);
    expect(await page.locator('main script, main img').count()).toBe(0);
  });

  it('R-6.10 an older page says so when a newer process answers it', async () => {
    const port = Number(new URL(served.url).port);
    await served.close();
    await page.getByText('The process does not answer.').waitFor();
    served = await serveConsole(made.source, { ...files, build: 'newer' }, port);
    await page.getByText('The process was started again. Open the link that it printed last.').waitFor();
    await page.getByText('This page is of an older process.').waitFor();
  });

  it('R-6.10 the keyboard alone reaches the content, each page and an action', async () => {
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the content');
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cluster test' }).waitFor();
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await made.world.store.readCluster('test')).paused).toBe(false);
  });

  it('R-6.10 a read-only console shows its actions as disabled', async () => {
    await context.close();
    await served.close();
    made = await scene({ readOnly: true });
    served = await serveConsole(made.source, files);
    await open(served.url);
    await goTo('#/cluster', 'Cluster test');
    expect(await page.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    expect(await page.locator('header').textContent()).toContain('read-only');
  });

  it.each(WIDTHS)('R-6.10 each page fits when the window is %i pixels wide, light and dark', async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const pages: [string, string, string][] = [
        ['#/', 'Overview', 'overview'],
        ['#/objects', 'Objects', 'objects'],
        ['#/object/widgets.test.evenkeel.dev/default/checkout', 'default/checkout', 'object'],
        ['#/cluster', 'Cluster test', 'cluster'],
        ['#/dead-letters', 'Dead letters', 'dead-letters'],
      ];
      for (const [hash, heading, name] of pages) {
        await goTo(hash, heading);
        await page.locator('main[aria-busy=false]').waitFor();
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect([name, width, overflow <= 0]).toEqual([name, width, true]);
        if (SCREENSHOTS === undefined || (colorScheme === 'dark' && name !== 'object')) continue;
        mkdirSync(SCREENSHOTS, { recursive: true });
        const file = `${name}-${width}${colorScheme === 'dark' ? '-dark' : ''}.png`;
        await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: name !== 'objects' });
      }
    }
  });

  it('R-6.10 the page takes no more than 200 KB when it is compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    expect(gzipSync(files.script + files.style).length).toBeLessThan(200_000);
  });
});
