namespace Broker.Server;

// Authentication by a service that is a client of the server.
internal sealed partial class Authentication
{
    private bool AskService(IAuthCallout callout, ConnectRequest request)
    {
        var question = new CalloutQuestion(channel.Id, request.Credentials, channel.RemoteEndPoint, transport)
        {
            Nonce = Nonce,
            Certificate = _certificate,
            ClientName = request.Name,
            Language = request.Language,
            Version = request.Version,
            ProtocolLevel = request.ProtocolLevel,
            DefaultAccess = _security.DefaultAccess,
            Timeout = _security.Timeout,
        };
        _admission.BeginVerification(_security.Timeout, OnTimeout);
        if (!channel.Server.Verifications.TryEnqueue(channel.RemoteEndPoint, new CalloutCheck(this, request, callout, question)))
        {
            Refuse("too many logins wait to be verified");
        }

        return false;
    }
}
