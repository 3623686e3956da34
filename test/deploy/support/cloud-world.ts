import { type DeployedFunction, deployedFunctions } from '../../../infra/deployed-functions.ts';
import { applicationId } from '../../../infra/functions.ts';
import { loadStage } from '../../../infra/stage.ts';
import { clusterKey } from '../../../lib/adapters/state-keys.ts';
import {
  clusterParametersPath,
  clusterTokenSecret,
  EMULATOR_STAGE,
  stageParametersPath,
} from '../../../lib/deployment/cloud/cloud-names.ts';
import { tableName } from '../../../lib/deployment/installation/resource-names.ts';
import { type RealCluster, realCluster } from '../../conformance/real-cluster.ts';
import { Contracts } from '../../e2e/support/contracts.ts';
import { Edits } from '../../e2e/support/edits.ts';
import { eventually } from '../../e2e/support/eventually.ts';
import { AwsApi } from './aws-api.ts';
import { DeploymentCopy, type Ran } from './deployment-copy.ts';
import { EMULATOR_ACCOUNT, Emulator, freePort, signalProcess } from './emulator.ts';
import { Gatekeeper } from './gatekeeper.ts';
import { grantsOf, type Statement } from './iam-policy.ts';

export const STAGE = EMULATOR_STAGE;

const IDENTITIES = ['relay', 'secret-contract', 't4', 'control-plane'] as const;

/** A cluster of the deployment, and what its users did. */
export interface UserCluster {
  readonly name: string;
  readonly cluster: RealCluster;
  readonly edits: Edits;
}

/** A deployment on an emulator of AWS, with real API servers for its clusters. */
export class CloudWorld implements AsyncDisposable {
  readonly emulator: Emulator;
  /** The proxy between the functions and AWS. */
  readonly gatekeeper: Gatekeeper;
  readonly aws: AwsApi;
  readonly copy: DeploymentCopy;
  private readonly owned: AsyncDisposableStack;

  private constructor(emulator: Emulator, gatekeeper: Gatekeeper, copy: DeploymentCopy, owned: AsyncDisposableStack) {
    this.emulator = emulator;
    this.gatekeeper = gatekeeper;
    this.aws = new AwsApi(emulator.url);
    this.copy = copy;
    this.owned = owned;
  }

  static async start(): Promise<CloudWorld> {
    await using owned = new AsyncDisposableStack();
    const port = await freePort();
    const gatekeeper = owned.use(await Gatekeeper.start(`http://127.0.0.1:${port}`));
    const emulator = owned.use(await Emulator.start(port, gatekeeper.url));
    const copy = owned.use(new DeploymentCopy(emulator.url));
    return new CloudWorld(emulator, gatekeeper, copy, owned.move());
  }

  /** The keys of the functions, as in serverless.yml. */
  get functionKeys(): string[] {
    return this.functions.map(({ key }) => key);
  }

  private get functions(): DeployedFunction[] {
    return deployedFunctions(loadStage(STAGE, this.copy.folder));
  }

  /** Deploys. From then on each function may do only what its role allows. */
  async deploy(): Promise<Ran> {
    const ran = await this.copy.serverless('deploy', '--stage', STAGE);
    if (ran.code !== 0) throw new Error(`the deployment failed:\n${ran.output}`);
    for (const deployed of this.functions) {
      const grants = grantsOf(await this.policyOf(deployed.key));
      this.gatekeeper.allow(deployed.key, applicationId(deployed), grants);
    }
    return ran;
  }

  /** Starts a cluster, and stores the tokens of evenkeel's identities as its secrets. The cluster is not listed yet. */
  async startCluster(name: string): Promise<UserCluster> {
    const cluster = this.owned.use(await realCluster());
    const started = { name, cluster, edits: new Edits(new Contracts(cluster.user)) };
    await this.copyTokens(started, name);
    return started;
  }

  /** Lists a cluster in the deployment, as an operator would. */
  async list({ name, cluster }: UserCluster, fields: object = {}): Promise<void> {
    const { url, caPem } = cluster.server;
    const certificateAuthority = Buffer.from(caPem).toString('base64');
    await this.putCluster(
      name,
      JSON.stringify({ server: url, certificateAuthority, auth: { type: 'token' }, ...fields }),
    );
  }

  async putCluster(name: string, value: string): Promise<void> {
    await this.putParameter(`${clusterParametersPath(STAGE)}/${name}`, value);
  }

  async putParameter(name: string, value: string): Promise<void> {
    const parameter = { Name: name, Type: 'String', Value: value, Overwrite: true };
    await this.aws.json('ssm', 'AmazonSSM.PutParameter', parameter);
  }

  async deleteParameter(name: string): Promise<void> {
    await this.aws.json('ssm', 'AmazonSSM.DeleteParameter', { Name: name });
  }

  /** The variables that a function was deployed with. */
  async functionEnvironment(key: string): Promise<{ readonly Variables: Readonly<Record<string, string>> }> {
    const path = `/2015-03-31/functions/evenkeel-${STAGE}-${key}/configuration`;
    const { Environment } = JSON.parse(await this.aws.rest('lambda', 'GET', path)) as {
      Environment: { Variables: Record<string, string> };
    };
    return Environment;
  }

  /** Writes the token of an identity in a cluster, like a tool that rotates tokens. */
  async putToken(cluster: string, identity: string, token: string): Promise<void> {
    const secret = { SecretId: clusterTokenSecret(STAGE, cluster, identity), SecretString: token };
    await this.aws.json('secretsmanager', 'secretsmanager.PutSecretValue', secret);
  }

  /** Copies the tokens to another name of the same cluster. */
  async copyTokens(from: UserCluster, to: string): Promise<void> {
    for (const identity of IDENTITIES) {
      await this.aws.json('secretsmanager', 'secretsmanager.CreateSecret', {
        Name: clusterTokenSecret(STAGE, to, identity),
        SecretString: await from.cluster.token(identity),
      });
    }
  }

  /** Everything of the stage that still exists in AWS, of any type. */
  async leftovers(): Promise<string[]> {
    const form = (service: string, Action: string, Version: string) => this.aws.query(service, { Action, Version });
    const answers = await Promise.all([
      this.aws.query('cloudformation', {
        Action: 'ListStacks',
        Version: '2010-05-15',
        'StackStatusFilter.member.1': 'UPDATE_COMPLETE',
      }),
      form('iam', 'ListRoles', '2010-05-08'),
      form('monitoring', 'DescribeAlarms', '2010-08-01'),
      form('monitoring', 'ListDashboards', '2010-08-01'),
      form('sns', 'ListTopics', '2010-03-31'),
      this.aws.rest('lambda', 'GET', '/2015-03-31/functions'),
      this.aws.rest('lambda', 'GET', '/2015-03-31/event-source-mappings'),
      this.aws.rest('s3', 'GET', '/'),
      ...[
        ['sqs', 'AmazonSQS.ListQueues'],
        ['dynamodb', 'DynamoDB_20120810.ListTables'],
        ['logs', 'Logs_20140328.DescribeLogGroups'],
        ['events', 'AWSEvents.ListRules'],
        ['ssm', 'AmazonSSM.GetParametersByPath'],
      ].map(async ([service = '', target = '']) => {
        const input = service === 'ssm' ? { Path: stageParametersPath(STAGE) } : {};
        return JSON.stringify(await this.aws.json(service, target, input));
      }),
    ]);
    return answers.flatMap(
      (answer) => answer.match(/[\w:/.-]*evenkeel-emulator[\w.-]*|[\w/]*\/evenkeel\/emulator\/settings/g) ?? [],
    );
  }

  /** Follows the instructions that `serverless remove` prints for a person who really wants to remove the stage. */
  async endProtection(): Promise<void> {
    await this.aws.query('cloudformation', {
      Action: 'UpdateTerminationProtection',
      Version: '2010-05-15',
      EnableTerminationProtection: 'false',
      StackName: `evenkeel-${STAGE}`,
    });
  }

  async unlist(name: string): Promise<void> {
    await this.deleteParameter(`${clusterParametersPath(STAGE)}/${name}`);
  }

  /** Calls a function like its schedule. @param wait whether to wait until it ends. */
  async call(key: string, wait = false): Promise<string> {
    return await this.aws.invoke(`evenkeel-${STAGE}-${key}`, wait ? 'RequestResponse' : 'Event');
  }

  /**
   * Makes a relay take over from one that died, when the leases have expired. The schedule would do it within a minute
   * or two.
   */
  async relieve(): Promise<void> {
    for (const name of ['east', 'west']) {
      await eventually(`free or living relay of ${name}`, async () => {
        const isFree = (await this.relayHold(name)).untilMs < Date.now();
        return isFree || this.emulator.functionProcesses().some(({ functionName }) => functionName.endsWith('-relay'))
          ? true
          : undefined;
      });
    }
    await this.call('relay');
  }

  /** The relay lease of a cluster; `untilMs` is 0 when no relay holds it. */
  async relayHold(cluster: string): Promise<{ readonly epoch: number; readonly untilMs: number }> {
    const { pk, sk } = clusterKey(cluster);
    const { Item = {} } = await this.aws.json<{ Item?: Record<string, { N?: string }> }>(
      'dynamodb',
      'DynamoDB_20120810.GetItem',
      { TableName: tableName(STAGE), Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true },
    );
    return { epoch: Number(Item.relayEpoch?.N ?? 0), untilMs: Number(Item.relayUntil?.N ?? 0) };
  }

  /** Kills a function's processes, in the middle of their work. */
  kill(key: string): void {
    for (const { pid } of this.processesOf(key)) signalProcess(pid, 'SIGKILL');
  }

  /** Stops a function's processes at once. Lambda ends them later because they take too long. */
  freeze(key: string): void {
    for (const { pid } of this.processesOf(key)) signalProcess(pid, 'SIGSTOP');
  }

  queueUrl(name: string): string {
    return `${this.emulator.url}/${EMULATOR_ACCOUNT}/${name}`;
  }

  /** Puts a message on a FIFO queue that evenkeel would never send. */
  async sendRaw(queue: string, body: string, group: string, id: string): Promise<void> {
    await this.aws.json('sqs', 'AmazonSQS.SendMessage', {
      QueueUrl: this.queueUrl(queue),
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: id,
    });
  }

  async messagesIn(queue: string): Promise<number> {
    const input = {
      QueueUrl: this.queueUrl(queue),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    };
    const { Attributes } = await this.aws.json<{ Attributes: Record<string, string> }>(
      'sqs',
      'AmazonSQS.GetQueueAttributes',
      input,
    );
    return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
  }

  /** How often Lambda has called a function with messages of a queue. */
  invocations(queue: string): number {
    return this.emulator.log().split(` SQS messages from ${queue}\n`).length - 1;
  }

  /** The log lines that functions wrote, of ended invocations. */
  logged<Line = Record<string, unknown>>(message: string): Line[] {
    const lines = this.emulator.log().split('\n');
    return lines
      .filter((line) => line.startsWith('{') && line.includes(`"message":"${message}"`))
      .map((line) => JSON.parse(line) as Line);
  }

  /** Every value of a metric, with its dimensions, that functions wrote in ended invocations. */
  measured(name: string): { readonly value: number; readonly dimensions: Record<string, unknown> }[] {
    const lines = this.emulator
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{"_aws"') && line.includes(`"${name}"`));
    return lines.flatMap((line) => {
      const { _aws: _, [name]: value, ...dimensions } = JSON.parse(line) as Record<string, unknown>;
      return [value].flat().map((one) => ({ value: Number(one), dimensions }));
    });
  }

  /** Waits for a value of a metric with these dimensions. The lines of an invocation appear some time after it. */
  async measures(name: string, dimensions: Readonly<Record<string, string>> = {}): Promise<void> {
    const isAmong = (found: Record<string, unknown>) =>
      Object.entries(dimensions).every(([key, value]) => found[key] === value);
    await eventually(`metric ${name} ${JSON.stringify(dimensions)}`, async () =>
      this.measured(name).find(({ value, dimensions: found }) => value > 0 && isAmong(found)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owned.disposeAsync();
  }

  private processesOf(key: string) {
    return this.emulator.functionProcesses().filter(({ functionName }) => functionName === `evenkeel-${STAGE}-${key}`);
  }

  private async policyOf(key: string): Promise<Statement[]> {
    const xml = await this.aws.query('iam', {
      Action: 'GetRolePolicy',
      Version: '2010-05-08',
      RoleName: `evenkeel-${STAGE}-${key}`,
      PolicyName: key,
    });
    const document = /<PolicyDocument>([\s\S]*)<\/PolicyDocument>/.exec(xml)?.[1] ?? '';
    return (JSON.parse(decodeURIComponent(document)) as { Statement: Statement[] }).Statement;
  }
}
