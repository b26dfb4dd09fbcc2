import type { Phrases } from './phrases.ts';

export const english: Phrases = {
  language: 'en',
  messageFrom: (sender) => `Message from ${sender}`,
  reminder: (subject) => `Reminder: ${subject}`,
  confirm: 'Confirm that you have received this message',
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
};
