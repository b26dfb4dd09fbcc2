import type { Phrases } from './phrases.ts';

export const germanPhrases: Phrases = {
  language: 'de',
  messageFrom: (sender) => `Nachricht von ${sender}`,
  reminder: (subject) => `Erinnerung: ${subject}`,
  confirm: 'Bestätigen Sie, dass Sie diese Nachricht erhalten haben',
  inbox: 'Diese Nachricht in Ihrem Postfach lesen',
  reference: (id) => `Referenz: ${id}`,
  attached: 'Dokumente zu dieser Nachricht, in Ihrem Postfach:',
  announce: (sender, about) => `${sender}: Eine Nachricht für Sie${about} liegt in Ihrem Postfach.`,
  page: {
    title: 'Empfang bestätigen',
    ask: (sender) =>
      `${sender} hat Ihnen eine E-Mail mit einer amtlichen Nachricht geschickt. Bestätigen Sie mit der Schaltfläche, dass Sie sie erhalten haben. Das heißt nur, dass die Nachricht bei Ihnen angekommen ist, nicht, dass Sie ihr zustimmen.`,
    button: 'Ich habe die Nachricht erhalten',
    doubt: (sender) =>
      `Diese Seite fragt nach nichts anderem: nicht nach einem Passwort, nicht nach persönlichen Daten, nicht nach Geld. Wenn Sie keine Nachricht von ${sender} erwarten oder an ihrer Echtheit zweifeln, drücken Sie nicht auf die Schaltfläche. Fragen Sie nach bei ${sender}, unter einer Telefonnummer oder Adresse, die Sie nicht aus der E-Mail haben.`,
  },
  confirmed: {
    title: 'Empfang bestätigt',
    text: (sender) =>
      `Danke. ${sender} weiß jetzt, dass Sie die Nachricht erhalten haben. Sie können diese Seite schließen.`,
  },
  unknownLink: {
    title: 'Dieser Link ist nicht bekannt',
    text: 'Es wurde nichts bestätigt. Verwenden Sie den Link so, wie er in der E-Mail steht, und zwar den ganzen. Geht es auch dann nicht, fragen Sie die Stelle, die die E-Mail geschickt hat.',
  },
  notNow: { title: 'Jetzt nicht möglich', text: 'Bitte versuchen Sie es in einigen Minuten noch einmal.' },
  failedVerifications: {
    subject: 'Jemand wollte Angaben über Sie bestätigen lassen',
    paragraphs: [
      'Eine oder mehrere Stellen haben das Register mehrmals gefragt, ob bestimmte persönliche Angaben auf Sie zutreffen. Diese Angaben passten nicht.',
      'Das heißt nicht, dass jemand Ihre Daten hat: Das Register hat nichts von dem herausgegeben, was dort über Sie gespeichert ist, und nichts wurde geändert. Es heißt auch nicht, dass Sie etwas falsch gemacht haben.',
      'Danach bestätigt das Register zur Vorsicht einen Tag oder länger keine Angaben über Sie, auch keine richtigen. Kann eine Stelle in dieser Zeit nicht bestätigen, wer Sie sind, versuchen Sie es später noch einmal oder fragen Sie die Stelle nach einem anderen Weg.',
      'Waren Sie es selbst, vielleicht mit einem falsch geschriebenen Namen oder einer alten Anschrift? Dann brauchen Sie nichts zu tun. Wenn nicht, sehen Sie in der Liste der Zugriffe auf Ihre Daten nach, wer gefragt hat, und sagen Sie es dieser Stelle. Niemand braucht wegen dieser Nachricht ein Passwort oder Geld von Ihnen.',
    ],
  },
  code: {
    subject: 'Ihr Code',
    text: (code, minutes) =>
      `Ihr Code ist ${code}. Geben Sie ihn innerhalb von ${minutes} Minuten dort ein, wo Sie ihn angefordert haben. Haben Sie keinen Code angefordert, brauchen Sie nichts zu tun. Geben Sie ihn niemandem weiter: Niemand braucht ihn von Ihnen.`,
  },
  addressChanged: {
    email: {
      subject: 'Ihre E-Mail-Adresse für amtliche Nachrichten wurde geändert',
      text: 'Amtliche Nachrichten für Sie gehen nicht mehr an die bisherige E-Mail-Adresse. Sie liegen weiterhin in Ihrem Postfach.',
    },
    sms: {
      subject: 'Ihre Telefonnummer für amtliche Nachrichten wurde geändert',
      text: 'Amtliche Nachrichten für Sie gehen nicht mehr an die bisherige Telefonnummer. Sie liegen weiterhin in Ihrem Postfach.',
    },
    doubt:
      'Waren Sie das selbst? Dann brauchen Sie nichts zu tun. Wenn nicht, hat sich jemand anders als Sie angemeldet: Melden Sie sich an, entfernen Sie die neue Angabe und sagen Sie es der Stelle, bei der Sie Ihr Konto haben.',
  },
  citizenLock: {
    set: {
      subject: 'Ihre Angaben sind gesperrt',
      text: 'Von jetzt an bestätigt das Register keiner Stelle Angaben über Sie, auch keine richtigen, und auch dann nicht, wenn Sie selbst es brauchen. Das bleibt so, bis Sie die Sperre aufheben, auf der Seite mit Ihren Angaben im Register.',
    },
    lifted: {
      subject: 'Ihre Angaben sind nicht mehr gesperrt',
      text: 'Sie hatten Ihre Angaben gesperrt. Diese Sperre wurde aufgehoben: Stellen können sich Angaben über Sie wieder bestätigen lassen. Sie können sie jederzeit erneut sperren.',
    },
    byStaff: (reason) => `Aufgehoben hat sie das Personal des Registers. Der Grund: ${reason}`,
    doubt:
      'Waren Sie das? Dann müssen Sie nichts tun. Wenn nicht, hat sich jemand anderes in Ihrem Namen angemeldet: Sperren oder entsperren Sie Ihre Angaben, wie Sie es wollen, und sagen Sie der Stelle Bescheid, bei der Sie Ihr Konto haben.',
  },
};
