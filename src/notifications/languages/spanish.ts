import type { Phrases } from './phrases.ts';

export const spanishPhrases: Phrases = {
  language: 'es',
  messageFrom: (sender) => `Mensaje de ${sender}`,
  reminder: (subject) => `Recordatorio: ${subject}`,
  confirm: 'Confirme que ha recibido este mensaje',
  inbox: 'Lea este mensaje en su bandeja de entrada',
  reference: (id) => `Referencia: ${id}`,
  attached: 'Documentos de este mensaje, en su bandeja de entrada:',
  announce: (sender, about) => `${sender}: tiene un mensaje${about} en su bandeja de entrada.`,
  page: {
    title: 'Confirmar la recepción',
    ask: (sender) =>
      `${sender} le ha enviado un correo con un mensaje oficial. Pulse el botón para indicar que lo ha recibido. Esto solo significa que el mensaje le ha llegado, no que esté de acuerdo con él.`,
    button: 'He recibido el mensaje',
    doubt: (sender) =>
      `Esta página no pide nada más: ni contraseñas, ni datos personales, ni dinero. Si no espera ningún mensaje de ${sender}, o duda de que sea auténtico, no pulse el botón. Pregunte a ${sender}, en un teléfono o una dirección que no haya tomado del correo.`,
  },
  confirmed: {
    title: 'Recepción confirmada',
    text: (sender) => `Gracias. ${sender} sabe ahora que ha recibido el mensaje. Puede cerrar esta página.`,
  },
  unknownLink: {
    title: 'Este enlace no se conoce',
    text: 'No se ha confirmado nada. Use el enlace tal como aparece en el correo, completo. Si tampoco así funciona, pregunte al servicio que envió el correo.',
  },
  notNow: { title: 'No es posible ahora', text: 'Inténtelo de nuevo dentro de unos minutos.' },
  failedVerifications: {
    subject: 'Alguien intentó confirmar datos sobre usted',
    paragraphs: [
      'Uno o varios servicios preguntaron varias veces al registro si ciertos datos personales son suyos. Esos datos no coincidían.',
      'Esto no significa que alguien tenga sus datos: el registro no ha dado nada de lo que guarda sobre usted, y no se ha cambiado nada. Tampoco significa que usted haya hecho algo mal.',
      'Después de eso, por precaución, el registro no confirma ningún dato sobre usted, ni siquiera los correctos, durante un día o más. Si en ese tiempo un servicio no puede confirmar quién es usted, inténtelo más tarde o pida al servicio otra manera.',
      '¿Fue usted, quizá con un nombre mal escrito o una dirección antigua? Entonces no tiene que hacer nada. Si no, mire en la lista de usos de sus datos quién preguntó, y avise a ese servicio. Nadie necesita una contraseña ni dinero de usted por este mensaje.',
    ],
  },
  code: {
    subject: 'Su código',
    text: (code, minutes) =>
      `Su código es ${code}. Introdúzcalo antes de ${minutes} minutos donde lo pidió. Si no ha pedido ningún código, no tiene que hacer nada. No se lo diga a nadie: nadie lo necesita de usted.`,
  },
  addressChanged: {
    email: {
      subject: 'Se ha cambiado su correo electrónico para mensajes oficiales',
      text: 'Los mensajes oficiales para usted ya no se envían a la dirección de correo anterior. Siguen en su buzón.',
    },
    sms: {
      subject: 'Se ha cambiado su número de teléfono para mensajes oficiales',
      text: 'Los mensajes oficiales para usted ya no se envían al número de teléfono anterior. Siguen en su buzón.',
    },
    doubt:
      '¿Fue usted? Entonces no tiene que hacer nada. Si no, otra persona ha iniciado sesión en su nombre: inicie sesión, elimine el dato nuevo y avise al servicio en el que tiene su cuenta.',
  },
  citizenLock: {
    set: {
      subject: 'Sus datos están bloqueados',
      text: 'A partir de ahora el registro no confirma a ningún servicio datos sobre usted, ni siquiera correctos, y tampoco cuando usted mismo lo necesite. Será así hasta que levante el bloqueo, en la página con sus datos en el registro.',
    },
    lifted: {
      subject: 'Sus datos ya no están bloqueados',
      text: 'Usted había bloqueado sus datos. Ese bloqueo se ha levantado: los servicios pueden volver a pedir que se confirmen datos sobre usted. Puede bloquearlos de nuevo en cualquier momento.',
    },
    byStaff: (reason) => `Lo levantó el personal del registro. El motivo: ${reason}`,
    doubt:
      '¿Fue usted? Entonces no tiene que hacer nada. Si no, otra persona ha entrado en su nombre: bloquee o desbloquee sus datos como desee y avise al servicio en el que tiene su cuenta.',
  },
};
