/** The address and token of the demo, and the requests that every generated client makes. */
const { BASE_URL = '', TOKEN = '', REFERENCE = 'permit-118' } = process.env;

export const baseUrl = `${BASE_URL}/v1`;
export const token = TOKEN;
export const authorization = `Bearer ${TOKEN}`;
export const claims = { citizenId: 'demo-mary', familyName: 'Smith', birthDate: '1981-04-25' };
export const message = {
  citizenId: 'demo-mary',
  subject: 'Permit ((number))',
  message: 'Your permit ((number)) is ready.',
  personalisation: { number: '2026/118' },
  reference: REFERENCE,
};
export const citizenId = 'demo-mary';

/** Prints what the client received, for demo-clients.ts. */
export function report(received: {
  readonly decision: string | undefined;
  readonly status: string | undefined;
  readonly notificationId: string | undefined;
  readonly document: string;
}): void {
  console.log(JSON.stringify(received));
}
