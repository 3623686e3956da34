// What serverless.yml includes. osls takes CommonJS here, and Node.js reads the TypeScript.
const { serverlessParts } = require('./serverless-parts.ts');

module.exports = Object.fromEntries(
  Object.entries(serverlessParts).map(([name, part]) => [
    name,
    async ({ resolveVariable }) => part(await resolveVariable('sls:stage')),
  ]),
);
