import { contentAccess } from './authorization.ts';
import { hasContentRules, type SecretContract } from './contract.ts';
import type { Observations } from './judgement.ts';
import type { InvalidContract } from './parse-contract.ts';
import { DeferredPattern } from './pattern-cache.ts';
import { notRegularExpression } from './rules-across.ts';

/**
 * Compiles the patterns of a contract. Called only after its Secret was read and permits them.
 * @returns an invalid contract when an expression cannot be compiled although admission accepted it.
 */
export function compilePatterns(
  contract: SecretContract,
  seen: Observations,
  nowMs: number,
): InvalidContract | undefined {
  if (seen.secret.type !== 'found' || !hasContentRules(contract)) return undefined;
  if (!contentAccess(contract, seen.secret.value.object, seen.grants, nowMs).allowed) return undefined;
  const broken = contract.keys.flatMap(({ name, pattern }, index) => {
    const problem = pattern instanceof DeferredPattern ? pattern.problem : undefined;
    return problem === undefined ? [] : [{ name, path: `spec.keys[${index}].pattern`, problem }];
  });
  if (broken.length === 0) return undefined;
  return {
    namespace: contract.namespace,
    name: contract.name,
    secret: contract.secret,
    hasExternalSecret: contract.externalSecret !== undefined,
    faults: broken.map(({ path, problem }) => ({ path, message: notRegularExpression(problem) })),
    findings: broken.map(({ name }) => ({ key: name, rule: 'pattern', reason: 'InvalidRule' })),
  };
}
