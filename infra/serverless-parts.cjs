// What serverless.yml includes. osls takes CommonJS here, and Node.js reads the TypeScript.
const { serverlessParts } = require('./serverless-parts.ts');

let told;

module.exports = Object.fromEntries(
  Object.entries(serverlessParts).map(([name, part]) => [
    name,
    async ({ resolveVariable }) => {
      const stage = await resolveVariable('sls:stage');
      try {
        return part(stage);
      } catch (error) {
        throw faultAlone(error);
      }
    },
  ]),
);

/** osls prints the stack of what is thrown here, for each property that it includes: a person wants the fault, once. */
function faultAlone({ code, message, stack }) {
  if (code === undefined) return Object.assign(new Error(message), { stack });
  const text = told === message ? 'the same fault' : message;
  told = message;
  return Object.assign(new Error(text), { stack: text });
}
