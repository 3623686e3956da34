import { describe, expect, it } from 'vitest';
import { kubectlCommand } from '../../../lib/deployment/kubernetes/kubectl-command.ts';

describe('kubectlCommand', () => {
  it.each([
    ['/a/config', 'here', 'kubectl --kubeconfig /a/config --context here'],
    ['/a b/config', 'here', "kubectl --kubeconfig '/a b/config' --context here"],
    ['/a/config', 'arn:aws:eks:eu-west-1:1:cluster/x', '--context arn:aws:eks:eu-west-1:1:cluster/x'],
    ['/a/config', 'my cluster', "--context 'my cluster'"],
    ['/a/config', '$(x)', "--context '$(x)'"],
    ["/it's/config", 'here', String.raw`--kubeconfig '/it'\''s/config' --context`],
    ['/a/config', '', "--context ''"],
  ])('R-6.4 kubectlCommand quotes file %j and context %j for a shell where they need it', (file, context, expected) => {
    expect(kubectlCommand({ file, context })).toContain(expected);
  });
});
