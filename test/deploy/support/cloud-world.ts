import { clusterParametersPath, clusterTokenSecret, EMULATOR_STAGE } from '../../../functions/cloud/cloud-names.ts';
import { deployedFunctions } from '../../../infra/deployed-functions.ts';
import { loadStage } from '../../../infra/stage.ts';
import { type RealCluster, realCluster } from '../../conformance/real-cluster.ts';
import { Contracts } from '../../e2e/support/contracts.ts';
import { Edits } from '../../e2e/support/edits.ts';
import { AwsApi } from './aws-api.ts';
import { DeploymentCopy, type Ran } from './deployment-copy.ts';
import { EMULATOR_ACCOUNT, Emulator, endProcess, freePort } from './emulator.ts';
import { Gatekeeper } from './gatekeeper.ts';
import { grantsOf, type Statement } from './iam-policy.ts';

export const STAGE = EMULATOR_STAGE;

/** A cluster of the deployment, and what its users did. */
export interface UserCluster {
  readonly name: string;
  readonly cluster: RealCluster;
  readonly edits: Edits;
}

/** A deployment on an emulator of AWS, with real API servers for its clusters. */
export class CloudWorld implements AsyncDisposable {
  readonly emulator: Emulator;
  /** Between the functions and AWS. */
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
    return deployedFunctions(loadStage(STAGE, this.copy.folder)).map(({ key }) => key);
  }

  /** Deploys, and from then on holds each function to what its role allows. */
  async deploy(): Promise<Ran> {
    const ran = await this.copy.serverless('deploy', '--stage', STAGE);
    if (ran.code !== 0) throw new Error(`the deployment failed:\n${ran.output}`);
    for (const key of this.functionKeys) this.gatekeeper.allow(key, grantsOf(await this.policyOf(key)));
    return ran;
  }

  /** Starts a cluster, with the tokens of evenkeel's identities in their secrets. It is not listed yet. */
  async startCluster(name: string): Promise<UserCluster> {
    const cluster = this.owned.use(await realCluster());
    for (const identity of ['relay', 'secret-contract'] as const) {
      await this.aws.json('secretsmanager', 'secretsmanager.CreateSecret', {
        Name: clusterTokenSecret(STAGE, name, identity),
        SecretString: await cluster.token(identity),
      });
    }
    const edits = new Edits(new Contracts(cluster.user));
    return { name, cluster, edits };
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
    const parameter = {
      Name: `${clusterParametersPath(STAGE)}/${name}`,
      Type: 'String',
      Value: value,
      Overwrite: true,
    };
    await this.aws.json('ssm', 'AmazonSSM.PutParameter', parameter);
  }

  async unlist(name: string): Promise<void> {
    await this.aws.json('ssm', 'AmazonSSM.DeleteParameter', { Name: `${clusterParametersPath(STAGE)}/${name}` });
  }

  /** Has a function called, as its schedule does. @param wait for its end. */
  async call(key: string, wait = false): Promise<string> {
    return await this.aws.invoke(`evenkeel-${STAGE}-${key}`, wait ? 'RequestResponse' : 'Event');
  }

  /** Ends a function's processes, whatever they are doing. @returns how many there were. */
  kill(key: string): number {
    const processes = this.emulator
      .functionProcesses()
      .filter(({ functionName }) => functionName === `evenkeel-${STAGE}-${key}`);
    for (const { pid } of processes) endProcess(pid);
    return processes.length;
  }

  queueUrl(name: string): string {
    return `${this.emulator.url}/${EMULATOR_ACCOUNT}/${name}`;
  }

  /** Puts a message on a FIFO queue as nobody of ours would. */
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

  /** The log lines that functions wrote, of ended invocations. */
  logged<Line = Record<string, unknown>>(message: string): Line[] {
    const lines = this.emulator.log().split('\n');
    return lines
      .filter((line) => line.startsWith('{') && line.includes(`"message":"${message}"`))
      .map((line) => JSON.parse(line) as Line);
  }

  /** Every value of a metric that functions wrote, of ended invocations, by its dimensions. */
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owned.disposeAsync();
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
