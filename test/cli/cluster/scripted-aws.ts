import { ResourceNotFoundException } from '@aws-sdk/client-eks';
import { EksAccessEntries } from '../../../lib/adapters/aws/eks-access-entries.ts';
import { SecretsManagerStore } from '../../../lib/adapters/aws/secrets-manager-store.ts';
import { SecretsManagerWriter } from '../../../lib/adapters/aws/secrets-manager-writer.ts';
import { SsmParameterStore } from '../../../lib/adapters/aws/ssm-parameter-store.ts';
import { SsmParameterWriter } from '../../../lib/adapters/aws/ssm-parameter-writer.ts';
import { InfrastructureError } from '../../../lib/core/errors.ts';

interface Input {
  readonly [field: string]: unknown;
}

/** An in-memory SSM, Secrets Manager and EKS, with the operations for registering a cluster. */
export class ScriptedAws {
  readonly parameters = new Map<string, string>();
  readonly secrets = new Map<string, string>();
  /** The user groups of each access entry, by `cluster role`. */
  readonly entries = new Map<string, readonly string[]>();
  readonly writes: string[] = [];
  /** Called before each write. If it throws, the write fails with the same error. */
  onWrite: (write: string) => void = () => undefined;

  readonly parameterStore = new SsmParameterStore({ call: (operation, input) => this.ssm(operation, input) });
  readonly parameterWriter = new SsmParameterWriter({ call: (operation, input) => this.ssm(operation, input) });
  readonly secretStore = new SecretsManagerStore({ call: (operation, input) => this.secret(operation, input) });
  readonly secretWriter = new SecretsManagerWriter({ call: (operation, input) => this.secret(operation, input) });

  accessEntries(region: string): EksAccessEntries {
    const send = async (command: { readonly input: Input }) =>
      this.eks(region, command.constructor.name, command.input);
    return new EksAccessEntries({ send } as unknown as ConstructorParameters<typeof EksAccessEntries>[0]);
  }

  private async ssm(operation: string, { Path, Name, Value }: Input): Promise<unknown> {
    if (operation === 'GetParametersByPath') {
      const isIn = (name: string) => name.startsWith(`${String(Path)}/`);
      const found = [...this.parameters].filter(([name]) => isIn(name));
      return { Parameters: found.map(([name, value]) => ({ Name: name, Value: value })) };
    }
    this.write(`${operation} ${String(Name)}`);
    if (operation === 'PutParameter') this.parameters.set(String(Name), String(Value));
    else if (!this.parameters.delete(String(Name))) throw refusal('ParameterNotFound');
    return {};
  }

  private async secret(operation: string, { SecretId, Name, SecretString }: Input): Promise<unknown> {
    const name = String(SecretId ?? Name);
    const isThere = this.secrets.has(name);
    if (operation !== 'CreateSecret' && !isThere) throw refusal('ResourceNotFoundException');
    if (operation === 'GetSecretValue') return { SecretString: this.secrets.get(name) };
    this.write(`${operation} ${name}`);
    if (operation === 'CreateSecret' && isThere) throw refusal('ResourceExistsException');
    if (operation === 'DeleteSecret') this.secrets.delete(name);
    else this.secrets.set(name, String(SecretString));
    return {};
  }

  private eks(region: string, command: string, input: Input): unknown {
    const key = `${region} ${String(input.clusterName)} ${String(input.principalArn)}`;
    const groups = input.kubernetesGroups as readonly string[];
    switch (command) {
      case 'DescribeAccessEntryCommand':
        if (!this.entries.has(key)) throw missingEntry();
        return { accessEntry: { kubernetesGroups: this.entries.get(key) } };
      case 'CreateAccessEntryCommand':
      case 'UpdateAccessEntryCommand':
        this.write(`${command} ${key}`);
        this.entries.set(key, groups);
        return {};
      default:
        this.write(`${command} ${key}`);
        if (!this.entries.delete(key)) throw missingEntry();
        return {};
    }
  }

  private write(what: string): void {
    this.onWrite(what);
    this.writes.push(what);
  }
}

function refusal(error: string): InfrastructureError {
  return new InfrastructureError(`AWS answered ${error}`, { data: { error } });
}

function missingEntry(): Error {
  return new ResourceNotFoundException({ message: 'no such entry', $metadata: {} });
}
