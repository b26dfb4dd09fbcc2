import type { Phrases } from './phrases.ts';

export const frenchPhrases: Phrases = {
  language: 'fr',
  messageFrom: (sender) => `Message de ${sender}`,
  reminder: (subject) => `Rappel : ${subject}`,
  confirm: 'Confirmez que vous avez reçu ce message',
  inbox: 'Lire ce message dans votre messagerie',
  reference: (id) => `Référence : ${id}`,
  attached: 'Documents joints à ce message, dans votre messagerie :',
  announce: (sender, about) => `${sender} : un message pour vous${about} se trouve dans votre messagerie.`,
  page: {
    title: 'Confirmer la réception',
    ask: (sender) =>
      `${sender} vous a envoyé un courriel avec un message officiel. Appuyez sur le bouton pour indiquer que vous l’avez reçu. Cela signifie seulement que le message vous est parvenu, et non que vous l’acceptez.`,
    button: 'J’ai reçu le message',
    doubt: (sender) =>
      `Cette page ne demande rien d’autre : ni mot de passe, ni données personnelles, ni argent. Si vous n’attendez pas de message de ${sender}, ou si vous doutez de son authenticité, n’appuyez pas sur le bouton. Renseignez-vous auprès de ${sender}, à un numéro ou à une adresse que vous ne tenez pas du courriel.`,
  },
  confirmed: {
    title: 'Réception confirmée',
    text: (sender) => `Merci. ${sender} sait maintenant que vous avez reçu le message. Vous pouvez fermer cette page.`,
  },
  unknownLink: {
    title: 'Ce lien est inconnu',
    text: 'Rien n’a été confirmé. Utilisez le lien tel qu’il figure dans le courriel, en entier. S’il ne fonctionne toujours pas, adressez-vous au service qui a envoyé le courriel.',
  },
  notNow: { title: 'Impossible pour le moment', text: 'Veuillez réessayer dans quelques minutes.' },
  failedVerifications: {
    subject: 'Quelqu’un a tenté de faire confirmer des données vous concernant',
    paragraphs: [
      'Un ou plusieurs services ont demandé plusieurs fois au registre si certaines données personnelles sont les vôtres. Ces données ne correspondaient pas.',
      'Cela ne signifie pas que quelqu’un possède vos données : le registre n’a rien communiqué de ce qu’il conserve à votre sujet, et rien n’a été modifié. Cela ne signifie pas non plus que vous avez fait quelque chose de mal.',
      'Après cela, par précaution, le registre ne confirme aucune donnée vous concernant, même exacte, pendant un jour ou plus. Si un service ne peut pas confirmer votre identité pendant ce temps, réessayez plus tard ou demandez-lui une autre solution.',
      'Était-ce vous, peut-être avec un nom mal orthographié ou une ancienne adresse ? Dans ce cas, vous n’avez rien à faire. Sinon, regardez dans la liste des utilisations de vos données qui a posé la question, et prévenez ce service. Personne n’a besoin d’un mot de passe ni d’argent de votre part à cause de ce message.',
    ],
  },
  code: {
    subject: 'Votre code',
    text: (code, minutes) =>
      `Votre code est ${code}. Saisissez-le dans les ${minutes} minutes là où vous l’avez demandé. Si vous n’avez pas demandé de code, vous n’avez rien à faire. Ne le donnez à personne : personne n’en a besoin.`,
  },
  addressChanged: {
    email: {
      subject: 'Votre adresse e-mail pour les messages officiels a été modifiée',
      text: 'Les messages officiels pour vous ne sont plus envoyés à l’adresse e-mail précédente. Ils restent dans votre boîte de réception.',
    },
    sms: {
      subject: 'Votre numéro de téléphone pour les messages officiels a été modifié',
      text: 'Les messages officiels pour vous ne sont plus envoyés au numéro de téléphone précédent. Ils restent dans votre boîte de réception.',
    },
    doubt:
      'Était-ce vous ? Dans ce cas, vous n’avez rien à faire. Sinon, quelqu’un d’autre s’est connecté à votre place : connectez-vous, supprimez la nouvelle indication et prévenez le service auprès duquel vous avez votre compte.',
  },
  citizenLock: {
    set: {
      subject: 'Vos données sont verrouillées',
      text: 'Désormais, le registre ne confirme à aucun service de données vous concernant, même exactes, et même si vous en avez vous-même besoin. Cela dure jusqu’à ce que vous leviez le verrou, sur la page de vos données au registre.',
    },
    lifted: {
      subject: 'Vos données ne sont plus verrouillées',
      text: 'Vous aviez verrouillé vos données. Ce verrou a été levé : les services peuvent de nouveau faire confirmer des données vous concernant. Vous pouvez les verrouiller à nouveau à tout moment.',
    },
    byStaff: (reason) => `Le personnel du registre l’a levé. Le motif : ${reason}`,
    doubt:
      'Est-ce vous ? Alors vous n’avez rien à faire. Sinon, quelqu’un d’autre s’est connecté à votre place : verrouillez ou déverrouillez vos données comme vous le souhaitez, et prévenez le service auprès duquel vous avez votre compte.',
  },
};
