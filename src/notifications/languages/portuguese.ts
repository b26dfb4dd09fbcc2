import type { Phrases } from './phrases.ts';

export const portuguese: Phrases = {
  language: 'pt',
  messageFrom: (sender) => `Mensagem de ${sender}`,
  reminder: (subject) => `Lembrete: ${subject}`,
  confirm: 'Confirme que recebeu esta mensagem',
  reference: (id) => `Referência: ${id}`,
  attached: 'Documentos desta mensagem, na sua caixa de correio:',
  announce: (sender, about) => `${sender}: tem uma mensagem${about} na sua caixa de correio.`,
  page: {
    title: 'Confirmar a receção',
    ask: (sender) =>
      `${sender} enviou-lhe um e-mail com uma mensagem oficial. Prima o botão para indicar que a recebeu. Isso significa apenas que a mensagem lhe chegou, não que concorda com ela.`,
    button: 'Recebi a mensagem',
    doubt: (sender) =>
      `Esta página não pede mais nada: nem palavra-passe, nem dados pessoais, nem dinheiro. Se não espera uma mensagem de ${sender}, ou duvida de que seja verdadeira, não prima o botão. Pergunte a ${sender}, por um número de telefone ou um endereço que não tenha tirado do e-mail.`,
  },
  confirmed: {
    title: 'Receção confirmada',
    text: (sender) => `Obrigado. ${sender} sabe agora que recebeu a mensagem. Pode fechar esta página.`,
  },
  unknownLink: {
    title: 'Esta ligação não é conhecida',
    text: 'Nada foi confirmado. Use a ligação tal como está no e-mail, completa. Se mesmo assim não funcionar, pergunte ao serviço que enviou o e-mail.',
  },
  notNow: { title: 'Não é possível agora', text: 'Tente novamente dentro de alguns minutos.' },
};
