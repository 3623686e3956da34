// A plugin of osls: makes the functions' bundles before they are packaged, so that deploying takes no other step, and lists
// what new settings refuse before anything is changed.
const { DescribeStackResourcesCommand } = require('@aws-sdk/client-cloudformation');
const { bundleFunctions } = require('../lib/deployment/package/bundle-functions.ts');
const { checkKeptNames, deploymentNotes } = require('./before-deployment.ts');
const { checkRemovable } = require('./before-removal.ts');
const { stageClusters } = require('../lib/deployment/wiring-stage-clusters.ts');
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
    const provider = serverless.getProvider('aws');
    const thisStage = () => loadStage(provider.getStage(), serverless.serviceDir, provider.getRegion());
    const check = async () => {
      const stage = thisStage();
      checkKeptNames(stage, await stackResources(provider));
      for (const line of deploymentNotes(stage)) log.warning(line);
      const askDoctor = (name) => runDoctor(name, provider.getRegion());
      for (const line of await unpermittedObjects(stage, askDoctor)) log.warning(line);
    };
    const checkRemoval = async () => {
      const name = provider.getStage();
      checkRemovable(name, await stageClusters(name, await provider.getAwsSdkV3Config()));
    };
    this.hooks = {
      'before:remove:remove': checkRemoval,
      'before:deploy:deploy': check,
      'before:package:createDeploymentArtifacts': bundle,
      'before:deploy:function:packageFunction': bundle,
    };
  }
};

/** Physical ids by logical id; empty for a stack that is not there. */
async function stackResources(provider) {
  try {
    const client = await provider.getCloudFormationClient();
    const command = new DescribeStackResourcesCommand({ StackName: provider.naming.getStackName() });
    const { StackResources } = await client.send(command);
    return new Map(StackResources.map((found) => [found.LogicalResourceId, found.PhysicalResourceId]));
  } catch (error) {
    if (/does not exist/.test(error.message)) return new Map();
    throw error;
  }
}
