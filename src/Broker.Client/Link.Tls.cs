using System.Security.Authentication;
using Broker.Client.Errors;
using Broker.Client.Handshake;
using Broker.Client.Tls;
using Broker.Transport;

namespace Broker.Client;

// TLS comes between INFO and CONNECT, or before both. What a server, or somebody between, sends in clear behind INFO goes into the
// handshake and makes it fail.
internal sealed partial class Link
{
    private bool _shakesHands;

    private ClientTls Tls => _core.Tls;

    private bool IsSecured => Transport.TlsDescription is not null;

    // TLS, where there is any, is the WebSocket's own.
    private bool IsWebSocket => _core.Options.Dialer is null && Address.WebSocketUri is not null;

    private void StartTls(Action onSecured)
    {
        _shakesHands = true;
        Transport.StartTls(Tls.For(Address), _core.Options.ConnectTimeout, _ =>
        {
            _shakesHands = false;
            onSecured();
        });
    }

    /// <summary>False when the handshake has been begun, or there can be none and must be one.</summary>
    private bool MayStayInClear(ServerInfo info)
    {
        bool required = Tls.IsRequired || Address.IsTls;
        if (IsWebSocket)
        {
            if (required && !Address.IsTls)
            {
                Fail(new TlsException($"TLS is required, and by WebSocket the address says so: wss. ({Where})"));
                return false;
            }

            return true;
        }

        if (!required && !info.TlsRequired)
        {
            return true;
        }

        if (info.TlsRequired || info.TlsAvailable)
        {
            StartTls(() => Introduce(info));
        }
        else
        {
            Fail(new TlsException($"The server does not offer TLS, which is required. ({Where})"));
        }

        return false;
    }

    // Over TLS 1.3 a server refuses our certificate when for us the handshake is over; and some close then without a word.
    private TlsException? TlsCause(CloseReason reason, Exception? error)
        => error is not null && (_shakesHands || (IsSecured && _phase != Phase.Ready && error is IOException or AuthenticationException))
            ? new TlsException($"TLS failed: {error.GetBaseException().Message} ({Where})", error)
            : reason == CloseReason.Peer && IsSecured && _phase == Phase.AwaitingPong && Info.TlsVerify
            ? new TlsException($"TLS failed: the server wants a certificate, and has accepted none. ({Where})", error)
            : null;
}
