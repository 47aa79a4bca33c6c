using System.Security.Authentication;
using Broker.Transport;

namespace Broker.Client;

// TLS starts between INFO and CONNECT, or before both. Bytes that a server or an attacker sends unencrypted after INFO
// become part of the handshake and make it fail.
internal sealed partial class Link
{
    private bool _tlsHandshakeRuns;

    private bool IsSecured => Transport.TlsDescription is not null;

    // A WebSocket has its own TLS.
    private bool IsWebSocket => _core.Options.Dialer is null && Address.WebSocketUri is not null;

    private void StartTls(Action onSecured)
    {
        _tlsHandshakeRuns = true;
        Transport.StartTls(Tls.CreateAuthentication(Address.TlsHost), _core.Options.ConnectTimeout, _ =>
        {
            _tlsHandshakeRuns = false;
            onSecured();
        });
    }

    /// <summary>
    /// Returns true if the connection may continue without TLS. Otherwise the method has started the TLS handshake, or
    /// has failed the link because TLS is required and not available.
    /// </summary>
    private bool TryContinueWithoutTls(InfoMessage info)
    {
        bool required = Tls.IsRequired || Address.IsTls;
        if (IsWebSocket)
        {
            if (required && !Address.IsTls)
            {
                Fail(new TlsException($"TLS is required. A WebSocket address must then have the scheme wss. ({ServerName})"));
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
            StartTls(() => SendConnect(info));
        }
        else
        {
            Fail(new TlsException($"The server does not offer TLS, which is required. ({ServerName})"));
        }

        return false;
    }

    // With TLS 1.3 a server rejects the client's certificate after the client has completed its handshake, and some
    // servers then close without an error.
    private TlsException? TlsCause(CloseReason reason, Exception? error)
        => error is not null && (_tlsHandshakeRuns || (IsSecured && _phase != Phase.Ready && error is IOException or AuthenticationException))
            ? new TlsException($"TLS failed: {error.GetBaseException().Message} ({ServerName})", error)
            : reason == CloseReason.Peer && IsSecured && _phase == Phase.AwaitingPong && Info.TlsVerify
            ? new TlsException($"TLS failed: the server requires a client certificate and has accepted none. ({ServerName})", error)
            : null;
}
