// What serverless.yml includes. osls takes CommonJS here, and Node.js reads the TypeScript.
const { serverlessParts, stageRegion } = require('./serverless-parts.ts');

let toldFault;

module.exports = {
  region: async ({ resolveVariable }) => told(stageRegion, await resolveVariable('sls:stage')),
  ...Object.fromEntries(
    Object.entries(serverlessParts).map(([name, part]) => [
      name,
      async ({ resolveVariable, resolveConfigurationProperty }) =>
        told(part, await resolveVariable('sls:stage'), await resolveConfigurationProperty(['provider', 'region'])),
    ]),
  ),
};

function told(part, ...parameters) {
  try {
    return part(...parameters);
  } catch (error) {
    throw faultAlone(error);
  }
}

/** osls prints the stack of what is thrown here, for each property that it includes: a person wants the fault, once. */
function faultAlone({ code, message, stack }) {
  if (code === undefined) return Object.assign(new Error(message), { stack });
  const text = toldFault === message ? 'the same fault' : message;
  toldFault = message;
  return Object.assign(new Error(text), { stack: text });
}
