import type { Phrases } from './phrases.ts';

export const portuguesePhrases: Phrases = {
  language: 'pt',
  messageFrom: (sender) => `Mensagem de ${sender}`,
  reminder: (subject) => `Lembrete: ${subject}`,
  confirm: 'Confirme que recebeu esta mensagem',
  inbox: 'Leia esta mensagem na sua caixa de correio',
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
  failedVerifications: {
    subject: 'Alguém tentou confirmar dados sobre si',
    paragraphs: [
      'Um ou mais serviços perguntaram várias vezes ao registo se certos dados pessoais são seus. Esses dados não correspondiam.',
      'Isto não significa que alguém tenha os seus dados: o registo não deu nada do que guarda sobre si, e nada foi alterado. Também não significa que tenha feito algo de errado.',
      'Depois disso, por precaução, o registo não confirma quaisquer dados sobre si, nem mesmo os corretos, durante um dia ou mais. Se nesse período um serviço não conseguir confirmar quem é, tente mais tarde ou peça ao serviço outra forma.',
      'Foi uma tentativa sua, talvez com um nome mal escrito ou uma morada antiga? Então não precisa de fazer nada. Se não, veja na lista de utilizações dos seus dados quem perguntou, e avise esse serviço. Ninguém precisa de uma palavra-passe nem de dinheiro da sua parte por causa desta mensagem.',
    ],
  },
  code: {
    subject: 'O seu código',
    text: (code, minutes) =>
      `O seu código é ${code}. Introduza-o dentro de ${minutes} minutos onde o pediu. Se não pediu nenhum código, não precisa de fazer nada. Não o diga a ninguém: ninguém precisa dele.`,
  },
  addressChanged: {
    email: {
      subject: 'O seu correio eletrónico para mensagens oficiais foi alterado',
      text: 'As mensagens oficiais para si já não são enviadas para o endereço de correio eletrónico anterior. Continuam na sua caixa de entrada.',
    },
    sms: {
      subject: 'O seu número de telefone para mensagens oficiais foi alterado',
      text: 'As mensagens oficiais para si já não são enviadas para o número de telefone anterior. Continuam na sua caixa de entrada.',
    },
    doubt:
      'Foi uma alteração sua? Então não precisa de fazer nada. Se não, outra pessoa iniciou sessão em seu nome: inicie sessão, remova o novo contacto e avise o serviço onde tem a sua conta.',
  },
  citizenLock: {
    set: {
      subject: 'Os seus dados estão bloqueados',
      text: 'A partir de agora, o registo não confirma a nenhum serviço dados sobre si, nem mesmo corretos, nem quando você próprio precise. Fica assim até levantar o bloqueio, na página com os seus dados no registo.',
    },
    lifted: {
      subject: 'Os seus dados já não estão bloqueados',
      text: 'Tinha bloqueado os seus dados. Esse bloqueio foi levantado: os serviços podem voltar a pedir a confirmação de dados sobre si. Pode bloqueá-los de novo em qualquer altura.',
    },
    byStaff: (reason) => `Foi o pessoal do registo que o levantou. O motivo: ${reason}`,
    doubt:
      'Foi você? Então não precisa de fazer nada. Se não foi, outra pessoa entrou em seu nome: bloqueie ou desbloqueie os seus dados como quiser e avise o serviço em que tem a sua conta.',
  },
};
