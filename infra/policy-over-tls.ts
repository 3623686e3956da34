import type { CfnValue } from './cloudformation.ts';

/**
 * The policy of a queue or a topic: it refuses every request without TLS, whatever other statements permit.
 * @param statements statements that permit something.
 */
export function policyOverTls(action: string, resource: CfnValue, statements: readonly CfnValue[] = []): CfnValue {
  return {
    Version: '2012-10-17',
    Statement: [
      ...statements,
      {
        Sid: 'OverTlsAlone',
        Effect: 'Deny',
        Principal: '*',
        Action: action,
        Resource: resource,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  };
}
