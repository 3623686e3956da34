// A plugin of osls: makes the functions' bundles before they are packaged, so that deploying takes no other step, and lists
// what new settings refuse before anything is changed.
const { bundleFunctions } = require('../lib/deployment/package/bundle-functions.ts');
const { loadStage } = require('./stage.ts');
const { runDoctor, unpermittedObjects } = require('./unpermitted-objects.ts');

module.exports = class BundlePlugin {
  constructor(serverless, _options, { progress, log }) {
    const bundle = async () => {
      const shown = progress.create({ message: 'Bundling the functions', name: 'evenkeel-bundle' });
      try {
        await bundleFunctions();
      } finally {
        shown.remove();
      }
    };
    const listGateways = async () => {
      const provider = serverless.getProvider('aws');
      const stage = loadStage(provider.getStage(), serverless.serviceDir);
      const askDoctor = (name) => runDoctor(name, provider.getRegion());
      for (const line of await unpermittedObjects(stage, askDoctor)) log.warning(line);
    };
    this.hooks = {
      'before:deploy:deploy': listGateways,
      'before:package:createDeploymentArtifacts': bundle,
      'before:deploy:function:packageFunction': bundle,
    };
  }
};
