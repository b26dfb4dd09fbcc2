import type { Phrases } from './phrases.ts';

export const englishPhrases: Phrases = {
  language: 'en',
  messageFrom: (sender) => `Message from ${sender}`,
  reminder: (subject) => `Reminder: ${subject}`,
  confirm: 'Confirm that you have received this message',
  inbox: 'Read this message in your inbox',
  reference: (id) => `Reference: ${id}`,
  attached: 'Documents with this message, in your inbox:',
  announce: (sender, about) => `${sender}: a message for you${about} lies in your inbox.`,
  page: {
    title: 'Confirm the receipt',
    ask: (sender) =>
      `${sender} sent you an email with an official message. Press the button to say that you have received it. That says only that it has reached you, not that you agree with it.`,
    button: 'I have received the message',
    doubt: (sender) =>
      `This page asks for nothing else: no password, no personal data, no money. If you do not expect a message from ${sender}, or doubt that it is real, do not press the button. Ask ${sender}, by a phone number or an address that you do not have from the email.`,
  },
  confirmed: {
    title: 'Receipt confirmed',
    text: (sender) => `Thank you. ${sender} now knows that you have received the message. You can close this page.`,
  },
  unknownLink: {
    title: 'This link is not known',
    text: 'Nothing was confirmed. Use the link as it stands in the email, the whole of it. If it does not work even so, ask the service that sent the email.',
  },
  notNow: { title: 'Not possible now', text: 'Please try again in a few minutes.' },
  failedVerifications: {
    subject: 'Somebody tried to confirm details about you',
    paragraphs: [
      'One or more services asked the register several times whether certain personal details are yours. Those details did not fit.',
      'This does not mean that anyone has your data: the register gave out nothing that it keeps about you, and nothing was changed. Nor does it mean that you did anything wrong.',
      'After that, as a precaution, the register confirms no details about you, not even right ones, for a day or longer. If a service cannot confirm who you are in that time, try again later, or ask the service for another way.',
      'Was it you, perhaps with a misspelled name or an old address? Then you need not do anything. If not, look at who asked, in the list of uses of your data, and tell that service. Nobody needs a password or money from you because of this message.',
    ],
  },
  code: {
    subject: 'Your code',
    text: (code, minutes) =>
      `Your code is ${code}. Enter it within ${minutes} minutes where you asked for it. If you did not ask for a code, do nothing, and tell it to nobody: nobody needs it from you.`,
  },
  addressChanged: {
    email: {
      subject: 'Your email address for official messages was changed',
      text: 'Official messages for you do not go to the email address of before any more. They still lie in your inbox.',
    },
    sms: {
      subject: 'Your phone number for official messages was changed',
      text: 'Official messages for you do not go to the phone number of before any more. They still lie in your inbox.',
    },
    doubt:
      'Was it you? Then you need not do anything. If not, somebody else has signed in as you: sign in, remove the new one, and tell the service at which you have your account.',
  },
  citizenLock: {
    set: {
      subject: 'Your details are locked',
      text: 'From now on the register confirms no details about you to any service, not even right ones, and not when you need it yourself. It stays so until you lift the lock, on the page with your details in the register.',
    },
    lifted: {
      subject: 'Your details are not locked any more',
      text: 'You had locked your details. That lock was lifted: services can have details about you confirmed again. You can lock them anew at any time.',
    },
    byStaff: (reason) => `The staff of the register lifted it. Their reason: ${reason}`,
    doubt:
      'Was it you? Then you need not do anything. If not, somebody else has signed in as you: lock or unlock your details as you want it, and tell the service at which you have your account.',
  },
};
