import { controlPlaneWorld } from './control-plane-world.ts';
import { describeLifecycle } from './lifecycle.suite.ts';

describeLifecycle('the embedded API server', async () => {
  const control = await controlPlaneWorld();
  const { requests } = control.world.server;
  return {
    control,
    writes: () => requests.writes({ userAgent: 'evenkeel' }).map(({ verb, path }) => `${verb} ${path}`),
    close: async () => undefined,
  };
});
