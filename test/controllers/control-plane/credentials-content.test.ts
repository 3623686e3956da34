import { beforeEach, describe, expect, it } from 'vitest';
import {
  databaseNamespace,
  databaseObjectName,
  GATEWAY_NAME,
  gatewayNamespace,
} from '../../../lib/controllers/control-plane/names.ts';
import type { JsonObject, KubeObject } from '../../../lib/core/kube-object.ts';
import { Deployments, Secrets } from '../../../lib/core/resource-type.ts';
import { type ControlPlaneWorld, controlPlaneWorld, runningGateway, settle } from './control-plane-world.ts';

const VERSION = 'hypershell.evenkeel.dev/credentials-version';
const CONTENT = 'hypershell.evenkeel.dev/credentials-content';

let control: ControlPlaneWorld;
let gateway: KubeObject;
let database: KubeObject;
beforeEach(async () => {
  control = await controlPlaneWorld();
  ({ gateway, database } = await runningGateway(control));
});

const deployment = () =>
  control.user.get(Deployments, { namespace: gatewayNamespace(gateway.metadata.uid), name: GATEWAY_NAME });
const template = async () => ((await deployment()).spec as { template: JsonObject }).template;
const copy = () =>
  control.user.get(Secrets, { namespace: gatewayNamespace(gateway.metadata.uid), name: 'gateway-database' });
const authority = () =>
  control.user.get(Secrets, {
    namespace: databaseNamespace(database.metadata.uid),
    name: databaseObjectName(gateway.metadata.uid),
  });
const rotate = async (password = 'another') => {
  const data = { password: Buffer.from(password).toString('base64') };
  await control.world.edit(Secrets, await authority(), { data });
  await settle(control);
};
/** What an older release wrote: the Secret's UID and resourceVersion. */
const asOlderRelease = async () => {
  const { uid, resourceVersion } = (await copy()).metadata;
  const annotations = { [VERSION]: `${uid}.${resourceVersion}` };
  await control.world.edit(Deployments, await deployment(), { spec: { template: { metadata: { annotations } } } });
};

const SAME: Readonly<Record<string, () => Promise<unknown>>> = {
  'an annotation is put on it': async () =>
    await control.world.edit(Secrets, await copy(), { metadata: { annotations: { note: 'seen' } } }),
  'a label is put on it': async () =>
    await control.world.edit(Secrets, await copy(), { metadata: { labels: { team: 'a' } } }),
  'it is removed and made again with the same values': async () => await control.world.remove(Secrets, await copy()),
  'the Secret that it is a copy of is annotated': async () =>
    await control.world.edit(Secrets, await authority(), { metadata: { annotations: { note: 'seen' } } }),
};

describe('the Pods of a Gateway and the content of their credentials', () => {
  it.each(Object.keys(SAME))(
    'R-4.13 a Gateway restarts no Pod when its Secret changes like this: %s',
    async (change) => {
      const before = await template();
      await SAME[change]!();
      await settle(control);
      expect(await template()).toEqual(before);
    },
  );

  it.each(['another', 'a third one'])(
    'R-4.13 a Gateway replaces its Pods when its password becomes %s',
    async (password) => {
      const before = await template();
      await rotate(password);
      expect(await template()).not.toEqual(before);
      const after = await template();
      await settle(control);
      expect(await template()).toEqual(after);
    },
  );

  it('R-4.13 a Gateway replaces its Pods when somebody adds a key to the Secret that they mount', async () => {
    const before = await template();
    await control.world.edit(Secrets, await copy(), { data: { extra: 'eA==' } });
    await settle(control);
    expect(await template()).not.toEqual(before);
  });

  it.each([...Object.keys(SAME), 'nothing is done'])(
    'R-4.13 a Gateway keeps the Pods of an older release until the next rotation when its Secret changes like this: %s',
    async (change) => {
      await asOlderRelease();
      const before = await template();
      await SAME[change]?.();
      await settle(control);
      expect(await template()).toEqual(before);
      expect((await deployment()).metadata.annotations?.[CONTENT]).toMatch(/^2\./);
      await SAME['an annotation is put on it']!();
      await settle(control);
      expect(await template()).toEqual(before);
      await rotate();
      expect(await template()).not.toEqual(before);
      expect((await deployment()).metadata.annotations?.[CONTENT]).toBeUndefined();
    },
  );

  it.each([
    'edited-by-user',
    '',
    '2.x.y',
    'bc2c5a1e-0000-4000-8000-00000000000a',
    'bc2c5a1e-0000-4000-8000-00000000000a.12.7',
    'somebody.17',
  ])('R-1.4 R-4.13 a Gateway restores the mark on the pod template when somebody sets it to "%s"', async (edited) => {
    const before = await template();
    const annotations = { [VERSION]: edited };
    await control.world.edit(Deployments, await deployment(), { spec: { template: { metadata: { annotations } } } });
    await settle(control);
    expect(await template()).toEqual(before);
    expect((await deployment()).metadata.annotations?.[CONTENT]).toBeUndefined();
  });

  it('R-1.4 R-4.13 a Gateway restores the mark on the pod template when somebody edits the ending of it', async () => {
    const before = await template();
    const mark = (before.metadata as { annotations: Record<string, string> }).annotations[VERSION];
    const annotations = { [VERSION]: `${mark}x` };
    await control.world.edit(Deployments, await deployment(), { spec: { template: { metadata: { annotations } } } });
    await settle(control);
    expect(await template()).toEqual(before);
  });

  it.each(['edited-by-user', '', '2.x.y'])(
    'R-1.4 R-4.13 a Gateway keeps the Pods of an older release when somebody sets the content that is written next to their mark to "%s"',
    async (edited) => {
      await asOlderRelease();
      await settle(control);
      const [before, content] = [await template(), (await deployment()).metadata.annotations?.[CONTENT]];
      await control.world.edit(Deployments, await deployment(), { metadata: { annotations: { [CONTENT]: edited } } });
      await settle(control);
      expect(await template()).toEqual(before);
      expect((await deployment()).metadata.annotations?.[CONTENT]).toBe(content);
    },
  );

  it('R-4.13 R-1.24 the mark contains neither the password nor a plain digest of it', async () => {
    const { annotations = {} } = (await template()).metadata as { annotations?: Record<string, string> };
    const other = await controlPlaneWorld();
    const second = await runningGateway(other);
    await control.world.edit(Secrets, await authority(), {
      data: (
        await other.user.get(Secrets, {
          namespace: databaseNamespace(second.database.metadata.uid),
          name: databaseObjectName(second.gateway.metadata.uid),
        })
      ).data as JsonObject,
    });
    await settle(control);
    const name = { namespace: gatewayNamespace(second.gateway.metadata.uid), name: GATEWAY_NAME };
    const theirs = (await other.user.get(Deployments, name)).spec as {
      template: { metadata: { annotations: Record<string, string> } };
    };
    expect(annotations[VERSION]).toMatch(/^2\.[-\w]{8}\.[-\w]{22}$/);
    const now = ((await template()).metadata as { annotations: Record<string, string> }).annotations[VERSION];
    expect(now).not.toBe(theirs.template.metadata.annotations[VERSION]);
  });
});
