import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/apiserver/json.ts';
import { decodeProtobuf } from '../../../lib/apiserver/protobuf/decode-protobuf.ts';

type Value = string | number | boolean | Uint8Array | Field[];
type Field = readonly [number: number, value: Value];

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 0x80);
  }
}

/** A message as Go's gogo-protobuf writes it: fields in the order given, zero values too. */
function message(fields: readonly Field[]): Buffer {
  const bytes = fields.flatMap(([number, value]) => {
    if (typeof value === 'number' || typeof value === 'boolean')
      return [...varint(number * 8), ...varint(Number(value))];
    const content = Array.isArray(value) ? message(value) : Buffer.from(value);
    return [...varint(number * 8 + 2), ...varint(content.length), ...content];
  });
  return Buffer.from(bytes);
}

function body(apiVersion: string, kind: string, fields: Field[], envelope: Field[] = []): Buffer {
  const type: Field[] = [
    [1, apiVersion],
    [2, kind],
  ];
  const unknown: Field[] = [[1, type], [2, message(fields)], [3, ''], [4, ''], ...envelope];
  return Buffer.concat([Buffer.from('k8s\0'), message(unknown)]);
}

const metadata: Field = [
  1,
  [
    [1, 'web'],
    [2, ''],
    [3, ''],
    [4, ''],
    [5, ''],
    [7, 0],
    [8, []],
    [
      11,
      [
        [1, 'app'],
        [2, 'web'],
      ],
    ],
  ],
];
const readMetadata = { name: 'web', labels: { app: 'web' } };

describe('decodeProtobuf', () => {
  it('R-6.2 a Secret keeps its bytes, an empty value and odd keys; fields that were never set are absent', () => {
    const secret = body('v1', 'Secret', [
      metadata,
      [
        2,
        [
          [1, 'binary'],
          [2, Uint8Array.of(0, 255, 10)],
        ],
      ],
      [
        2,
        [
          [1, 'empty'],
          [2, ''],
        ],
      ],
      [
        2,
        [
          [1, '__proto__'],
          [2, 'x'],
        ],
      ],
      [3, 'Opaque'],
      [5, false],
    ]);
    expect(decodeProtobuf(secret)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: readMetadata,
      type: 'Opaque',
      immutable: false,
      data: JSON.parse('{"binary":"AP8K","empty":"","__proto__":"eA=="}') as JsonObject,
    });
  });

  it('R-6.2 a Deployment keeps a zero that was set, and drops the zeros of structs that were not', () => {
    const container: Field[] = [
      [1, 'web'],
      [2, 'web:1'],
      [5, ''],
      [
        6,
        [
          [1, ''],
          [2, 0],
          [3, 8080],
          [4, ''],
          [5, ''],
        ],
      ],
      [8, []],
      [13, ''],
      [16, false],
    ];
    const deployment = body('apps/v1', 'Deployment', [
      metadata,
      [
        2,
        [
          [1, 0],
          [
            2,
            [
              [
                1,
                [
                  [1, 'app'],
                  [2, 'web'],
                ],
              ],
            ],
          ],
          [
            3,
            [
              metadata,
              [
                2,
                [
                  [2, container],
                  [3, ''],
                  [11, false],
                ],
              ],
            ],
          ],
          [4, [[1, '']]],
          [5, 0],
          [7, false],
        ],
      ],
      [
        3,
        [
          [1, 0],
          [2, 0],
        ],
      ],
    ]);
    expect(decodeProtobuf(deployment)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: readMetadata,
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: readMetadata,
          spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }] }] },
        },
      },
    });
  });

  it('R-6.2 a Service keeps named and numbered target ports', () => {
    const port = (target: Field[]): Field => [
      1,
      [
        [2, 'TCP'],
        [3, 80],
        [4, target],
      ],
    ];
    const service = body('v1', 'Service', [
      metadata,
      [
        2,
        [
          port([
            [1, 0],
            [2, 8080],
            [3, ''],
          ]),
          port([
            [1, 1],
            [2, 0],
            [3, 'http'],
          ]),
        ],
      ],
    ]);
    expect(decodeProtobuf(service)).toMatchObject({
      spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 8080 }, { targetPort: 'http' }] },
    });
  });

  it.each([
    [
      'SelfSubjectAccessReview',
      'authorization.k8s.io/v1',
      [
        [
          1,
          [
            [1, 'a'],
            [2, 'get'],
            [3, ''],
            [4, '*'],
            [5, 'pods'],
            [6, 'log'],
            [7, ''],
          ],
        ],
      ],
      { resourceAttributes: { namespace: 'a', verb: 'get', version: '*', resource: 'pods', subresource: 'log' } },
    ],
    ['SelfSubjectRulesReview', 'authorization.k8s.io/v1', [[1, 'default']], { namespace: 'default' }],
    [
      'TokenRequest',
      'authentication.k8s.io/v1',
      [
        [1, 'vault'],
        [1, 'b'],
        [4, 600],
      ],
      { audiences: ['vault', 'b'], expirationSeconds: 600 },
    ],
  ] as const)('R-6.2 a %s of %s keeps the requested fields', (kind, apiVersion, fields, spec) => {
    const request = body(apiVersion, kind, [
      [1, [[1, '']]],
      [2, fields as unknown as Field[]],
    ]);
    expect(decodeProtobuf(request)).toEqual({ apiVersion, kind, spec });
  });

  it('R-6.4 a field that is not read is refused by its number, with the way that works', () => {
    const refused = () => decodeProtobuf(body('v1', 'ServiceAccount', [metadata, [2, [[1, 'Secret']]]]));
    expect(refused).toThrow('field 2 of ServiceAccount is not read from protobuf');
    expect(refused).toThrow('--dry-run=client -o yaml | kubectl apply -f -');
    expect(refused).toThrow(expect.objectContaining({ code: 415 }));
  });

  it('a kind that is read from JSON and YAML alone is left to them', () => {
    expect(decodeProtobuf(body('batch/v1', 'Job', [metadata]))).toBeUndefined();
    expect(decodeProtobuf(body('', '__proto__', [metadata]))).toBeUndefined();
  });

  const secret = body('v1', 'Secret', [metadata]);
  it.each([
    ['nothing of Kubernetes', Buffer.from('{"kind":"Secret"}')],
    ['nothing at all', Buffer.alloc(0)],
    ['an envelope that is cut short', secret.subarray(0, secret.length - 5)],
    ['a number without end', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(12, 0xff)])],
    ['a type that is a number', Buffer.concat([Buffer.from('k8s\0'), message([[1, 7]])])],
    ['text that is not UTF-8', Buffer.concat([Buffer.from('k8s\0'), message([[3, Uint8Array.of(0xff)]])])],
  ])('R-6.4 %s is a bad request', (_what, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow(expect.objectContaining({ code: 400 }));
  });

  it('R-6.4 an object that is cut short is refused', () => {
    const broken = body('v1', 'Secret', [[1, Uint8Array.of(10, 200)]]);
    expect(() => decodeProtobuf(broken)).toThrow('cut short');
  });
});
