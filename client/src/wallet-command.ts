import { sandboxPeople } from './sandbox-people.ts';
import { answerWalletRequest, declineWalletRequest, type WalletOutcome } from './sandbox-wallet.ts';
import { SandboxWalletError, type WalletFault, walletFaults } from './wallet-faults.ts';

/** The options of the command, as the command line gives them. */
export type WalletFlags = {
  readonly request?: string | undefined;
  readonly as?: string | undefined;
  readonly format?: string | undefined;
  readonly fault?: string | undefined;
  readonly decline?: boolean | undefined;
};

const formatNames = { 'sd-jwt': 'dc+sd-jwt', mdoc: 'mso_mdoc' } as const;

/** Answers a presentation as a person of the demo, and prints what happened. */
export async function runWallet(flags: WalletFlags, print: (text: string) => void): Promise<void> {
  const { request = '', as: person = '', format, fault, decline = false } = flags;
  if (decline) {
    const { status, redirectUri } = await declineWalletRequest(request);
    print(`The citizen declined. ${answerText(status, redirectUri)}`);
    return;
  }
  const attributes = sandboxPeople.get(person);
  if (attributes === undefined)
    throw new SandboxWalletError(`Expected --as with one of: ${[...sandboxPeople.keys()].join(', ')}.`);
  const outcome = await answerWalletRequest(request, {
    attributes,
    format: named(formatNames, '--format', format),
    fault: faultNamed(fault),
  });
  print(textOf(outcome, faultNamed(fault)));
}

function textOf({ format, disclosed, status, redirectUri }: WalletOutcome, fault: WalletFault | undefined): string {
  const reason = fault === undefined ? undefined : walletFaults[fault][format];
  return [
    `Presented a PID (${format}) with: ${disclosed.join(', ')}.`,
    ...(fault === undefined
      ? []
      : [
          reason === undefined
            ? `A credential in this format cannot have the fault ${fault}, so the presentation is valid.`
            : `The presentation has the fault ${fault}. Expected reason: ${reason}.`,
        ]),
    answerText(status, redirectUri),
  ].join('\n');
}

function answerText(status: number, redirectUri: string | undefined): string {
  if (status !== 200) return `The server refused the response (${status}). Read the presentation for the reason.`;
  return redirectUri === undefined
    ? 'The server accepted the response. Read the presentation for the result.'
    : `The server accepted the response, and sends the citizen to:\n${redirectUri}`;
}

function faultNamed(name: string | undefined): WalletFault | undefined {
  const names = Object.fromEntries(Object.keys(walletFaults).map((one) => [one, one]));
  // The keys of `walletFaults` are its names.
  return named(names, '--fault', name) as WalletFault | undefined;
}

function named<Value>(values: Readonly<Record<string, Value>>, option: string, name: string | undefined) {
  if (name === undefined) return undefined;
  if (!Object.hasOwn(values, name))
    throw new SandboxWalletError(`Expected ${option} with one of: ${Object.keys(values).join(', ')}.`);
  return values[name];
}
