import { describe, expect, it } from 'vitest';
import { ReadOnlyTransport } from '../../../lib/adapters/kubernetes/read-only-transport.ts';
import type { TransportRequest, TransportResponse } from '../../../lib/adapters/kubernetes/transport.ts';

const ANSWER = { status: 200, headers: {} } as TransportResponse;

function transport() {
  const sent: string[] = [];
  const inner = {
    send: async ({ method, path }: TransportRequest) => {
      sent.push(`${method} ${path}`);
      return ANSWER;
    },
  };
  return { sent, one: new ReadOnlyTransport(inner) };
}

function request(method: TransportRequest['method'], path = '/api/v1/secrets'): TransportRequest {
  return { method, path, headers: {} };
}

describe('a read-only transport', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'R-6.11 connection refuses and counts a request when its method is %s',
    async (method) => {
      const { sent, one } = transport();
      await expect(one.send(request(method, '/api/v1/secrets?a=secret'))).rejects.toMatchObject({
        code: 'WRITE_REFUSED',
        message: `${method} /api/v1/secrets was not sent, because this connection only reads`,
      });
      expect(one.refused).toBe(1);
      expect(sent).toEqual([]);
    },
  );

  it('R-6.11 the transport sends a request when it reads', async () => {
    const { sent, one } = transport();
    expect(await one.send(request('GET'))).toBe(ANSWER);
    expect({ sent, refused: one.refused }).toEqual({ sent: ['GET /api/v1/secrets'], refused: 0 });
  });
});
