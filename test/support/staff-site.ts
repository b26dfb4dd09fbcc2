import { addCitizenClient, startExternalIssuer } from './external-issuer.ts';
import { createHttpClient, parseJsonBody } from './http-client.ts';
import { type CleanupScope, makeServerFixture, type ServerFixture } from './server-process.ts';

/** The roles of STAFF_ROLES in its default. */
export const staffRoles = ['support', 'caseworker', 'approver', 'operator', 'auditor'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** A member of staff in a test. */
export type TestPerson = { readonly subject: string; readonly roles: readonly string[]; readonly service?: string };

type StaffResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: Record<string, unknown>;
};

/** A demo whose staff and citizens have tokens of two external issuers. */
export type StaffSite = {
  readonly server: ServerFixture;
  readonly service: string;
  staffToken(person: TestPerson, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  citizenToken(citizenId: string): Promise<string>;
  clientToken(): Promise<string>;
  /** Ends the server with the signal, calls `meanwhile`, and starts the server again. */
  restart(signal: 'SIGTERM' | 'SIGKILL', meanwhile?: () => Promise<void>): Promise<void>;
  request(token: string, method: string, path: string, body?: unknown): Promise<StaffResponse>;
};

/** Starts the demo with these issuers. `service` is the client of the demo, which has sent its messages. */
export async function openStaffSite(
  t: CleanupScope,
  {
    engine = 'sqlite',
    settings = {},
  }: { readonly engine?: 'sqlite' | 'postgres'; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<StaffSite> {
  const [staffIssuer, citizenIssuer] = [await startExternalIssuer(t), await startExternalIssuer(t)];
  const server = await makeServerFixture(t, {
    engine,
    settings: {
      TRUSTED_ISSUERS: citizenIssuer.url,
      STAFF_ISSUER: staffIssuer.url,
      STAFF_CLIENT_ID: 'staff-pages',
      STAFF_CLIENT_SECRET: 'a secret of this test',
      ...settings,
    },
  });
  await (await server.start('demo')).stop('SIGTERM');
  const citizensClient = await addCitizenClient(server, citizenIssuer);
  let running = await server.start('demo');
  const aud = `${server.url}/v1`;
  const [client] = server.readDemoFile().clients;
  const http = createHttpClient(server.url);
  return {
    server,
    service: client?.clientId ?? '',
    staffToken: ({ subject, roles, service }, claims = {}) =>
      staffIssuer.sign({
        aud,
        sub: subject,
        name: `Name of ${subject}`,
        client_id: 'staff-pages',
        roles,
        ...(service === undefined ? {} : { client: service }),
        ...claims,
      }),
    citizenToken: (citizenId) =>
      citizenIssuer.sign({
        aud,
        client_id: citizensClient,
        sub: citizenId,
        scope: 'citizen:self',
        citizen_id: citizenId,
      }),
    clientToken: () => server.fetchAccessToken(),
    restart: async (signal, meanwhile) => {
      await running.stop(signal);
      await meanwhile?.();
      running = await server.start('demo');
    },
    request: async (token, method, path, body) => {
      const answer = await http({
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? '' : JSON.stringify(body),
      });
      return { status: answer.status, headers: answer.headers, json: parseJsonBody(answer) };
    },
  };
}
