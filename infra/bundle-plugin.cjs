// A plugin of osls: makes the functions' bundles before they are packaged, so that deploying takes no other step.
const { bundleFunctions } = require('../lib/deployment/package/bundle-functions.ts');

module.exports = class BundlePlugin {
  constructor(_serverless, _options, { progress }) {
    const bundle = async () => {
      const shown = progress.create({ message: 'Bundling the functions', name: 'evenkeel-bundle' });
      try {
        await bundleFunctions();
      } finally {
        shown.remove();
      }
    };
    this.hooks = {
      'before:package:createDeploymentArtifacts': bundle,
      'before:deploy:function:packageFunction': bundle,
    };
  }
};
